package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// main: false
	// a job: true <nil>
	// a long-running job: false <nil>
	// a thread of one's own: false <nil>
	// a loop of two that meet, on workers: 1 <nil>
	// two functions that meet, on workers: 1 <nil>
	// <nil> <nil>
}
