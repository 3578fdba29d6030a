package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// seven jobs are queued here
	// a thief takes 3
	//   job 1 runs
	//   job 2 runs
	//   job 3 runs
	// a thief takes 2
	//   job 4 runs
	//   job 5 runs
	// a thief takes 1
	//   job 6 runs
	// a thief takes 1
	//   job 7 runs
	// all have ended: <nil>
	// shut down: <nil>
}
