package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// before
	//   the outer job
	//   the inner job, after the outer one
	// after: Completed
	// a job that waits for a job gets 42 <nil>
	// a hundred thousand jobs, and the last one stands on less than 50 calls: true
	// shut down: <nil>
}
