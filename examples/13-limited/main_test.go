package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// blocking queries, a scheduler for three:      3 in flight, <nil>
	// machines, the same scheduler:                30 in flight, <nil>
	// machines, in a scope with a limit of three:   3 in flight, <nil>
	// shut down: <nil> <nil>
}
