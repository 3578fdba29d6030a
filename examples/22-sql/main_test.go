package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// Ann to Bob: <nil>
	// Ann to Dee: to Dee: no such account
	//   Ann 70
	//   Bob 130
	//   Cy 100
	//   rows closed, 0 left
	// error: <nil>
	//   Ann 70
	//   rows closed, 2 left
	// error: <nil> open connections in use: 0
}
