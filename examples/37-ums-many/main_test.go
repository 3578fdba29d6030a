package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// workers: 10000 blocked: 2500 yielded: 2500 <nil>
	// <nil>
	// never more than two at a time: true
	// contexts that were not cleaned up: 0
}
