package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// A reads, A writes, B reads, B writes: Completed, Completed, balance 89
	// A reads, B reads, A writes, B writes: Completed, Completed, balance 99
	// A reads, B reads, B writes, A writes: Completed, Completed, balance 90
	// after 0s the sleeper is WaitingForActivation
	// after 24h0m0s the sleeper is Completed
}
