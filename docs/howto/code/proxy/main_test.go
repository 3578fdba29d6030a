package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// THROUGH THE PROXY <nil>
	// the client is told: true
	// the log: true
	// stopped: true
}
