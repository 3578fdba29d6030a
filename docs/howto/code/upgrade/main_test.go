package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// Ann hears: I am Ann Bob hears: I am Ann
	// Ann hears: I am Bob Bob hears: I am Bob
	// <nil> http: Server closed
	// <nil> <nil> <nil>
}
