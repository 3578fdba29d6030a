package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// tick 1
	// <nil>
	// we go on meanwhile
	// tick 1
	// tick 2
	// <nil>
}
