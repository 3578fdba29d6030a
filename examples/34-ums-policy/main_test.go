package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// rrbrrrbrrrbrrrbrbbbbbbbb <nil> <nil>
	// ums: the policy was replaced by first in, first out: panic: division by zero
	// rrbrrrbrbbbbbbbbbbrrrrrr <nil> <nil>
}
