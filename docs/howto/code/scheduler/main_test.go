package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// job 2
	// job 1
	// job 0
	// <nil>
	// 42 <nil>
}
