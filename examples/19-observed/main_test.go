package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// event: disk full | a panic: false
	// event: panic: index out of range | a panic: true
	// event: observed: work called runtime.Goexit | a panic: false
	// work goes on
	// shut down: <nil> <nil>
}
