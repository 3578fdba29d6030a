package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// log: begins
	// the policy is told: ums: a scheduler must not share a lock with its workers
	// log: a worker runs
	// log: a worker was ready, says the policy by a worker of its own
	// shut down: <nil>
}
