package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// a timeout of the operation
	//   the operation ends: ten milliseconds are over
	//   0 context deadline exceeded: ten milliseconds are over
	// a timeout of the wait
	//   the wait ends: true the operation ended: false
	//   42 <nil>
	// a cleanup after the timeout
	//   the operation ends: context deadline exceeded
	//   the cleanup: 42 <nil>
	//   0 context deadline exceeded
}
