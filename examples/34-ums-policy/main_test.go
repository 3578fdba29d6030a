package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// none:      bbbbbbbbbbbbrrrrrrrrrrrr  the last request is served in turn 24, <nil>
	// weighted:  rrbrrrbrrrbrrrbrbbbbbbbb  the last request is served in turn 16, <nil>
	//            ums: the policy was replaced by first in, first out: panic: division by zero
	// failing:   rrbrrrbrbbbbbbbbbbrrrrrr  the last request is served in turn 24, <nil>
}
