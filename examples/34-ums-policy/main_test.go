package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// twelve batch jobs (b) are queued, then twelve requests (r); the order in which they run:
	// no policy:     bbbbbbbbbbbbrrrrrrrrrrrr  all requests are served after 24 turns, <nil>
	// three to one:  rrbrrrbrrrbrrrbrbbbbbbbb  all requests are served after 16 turns, <nil>
	//                ums: the policy was replaced by first in, first out: panic: division by zero
	// failing:       rrbrrrbrbbbbbbbbbbrrrrrr  all requests are served after 24 turns, <nil>
}
