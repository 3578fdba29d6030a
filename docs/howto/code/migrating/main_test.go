package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// 9 <nil>
	// 9 <nil>
	// odd odd
	// true true <nil>
	// [1 4 9] <nil>
	// [1 tea 2 coffee] <nil>
}
