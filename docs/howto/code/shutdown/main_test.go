package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// the signal arrives
	//   a short request has cleaned up
	//   a long request is canceled: the service stops
	//   a long request has cleaned up
	// a late request: the service stops
	// stopped: context canceled: the service stops
}
