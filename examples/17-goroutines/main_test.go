package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// jobs that met: 100 <nil>
	// bounded by: 0 (no bound)
	// shut down: <nil>
}
