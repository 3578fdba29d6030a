package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// one channel, a timeout: true
	// serves coffee
	// serves tea
	// serves milk
	// a minute without an order
	// a minute without an order
	// the shop is closed
	// without waiting: nothing - closed: true
	// without waiting: nothing <nil>
	// bread from our oven <nil>
	// rolls from the neighbour <nil>
	// no cake <nil>
	// the day took 2m31s <nil>
}
