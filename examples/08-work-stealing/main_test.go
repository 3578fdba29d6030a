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
	// job 1 runs, stolen so far: 3
	// job 2 runs, stolen so far: 3
	// job 3 runs, stolen so far: 3
	// job 4 runs, stolen so far: 5
	// job 5 runs, stolen so far: 5
	// job 6 runs, stolen so far: 6
	// job 7 runs, stolen so far: 7
	// all have ended: <nil>
	// <nil>
}
