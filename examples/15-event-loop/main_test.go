package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// from the pool: the label is touched by a goroutine that does not own it
	// label: the answer is 42
	// the loop ends: context canceled
	// shut down: <nil> <nil>
}
