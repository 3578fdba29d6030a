package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// waited for all: <nil> nodes visited: 2047
	// the first to end is number 1 <nil>
	// both: <nil>
	// shut down: <nil> <nil>
}
