package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// made:    [Created Created Created]
	// started: [Running Running Running]
	// a fourth, with no worker left: Scheduled
	// ended:   [Completed Completed Completed] <nil>
	// workers that have run the three: 3
	// the fourth: Completed
}
