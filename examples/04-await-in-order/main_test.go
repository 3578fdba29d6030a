package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// as plain Go:
	// Foo
	// Bar
	// Baz
	// as a machine:
	// started: WaitingForActivation
	// Foo
	// Bar
	// Baz
}
