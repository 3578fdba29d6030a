package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// parallel.For in main:      1 inside, 1 outside, <nil>
	// parallel.Invoke in a job:  3 inside, 0 outside, <nil>
	// a job:                     true, <nil>
	// a long-running job:        false, <nil>
	// a thread of one's own:     false, <nil>
	// main:                      false
	// shut down: <nil> <nil>
}
