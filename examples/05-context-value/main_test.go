package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// the caller:  user ann, runs on no scheduler
	// its job:     user ann, runs on a pool
	// the job's:   user bob, runs on a dedicated thread
	// the job's result: done, <nil>
	// the caller:  user ann, runs on no scheduler
	// shut down: <nil> <nil>
}
