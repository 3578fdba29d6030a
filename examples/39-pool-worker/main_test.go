package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// parallel.Invoke:       1 of 2 on workers of the pool, <nil>
	// parallel.For:          1 of 2 on workers of the pool, <nil>
	// a job:                 true, <nil>
	// a long-running job:    false, <nil>
	// a thread of one's own: false, <nil>
	// main:                  false
	// <nil> <nil>
}
