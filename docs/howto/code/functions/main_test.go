package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// home 7
	//   notes 7
	//   music 7
	//     songs 7
	// commit [total 28]
	// <nil>
}
