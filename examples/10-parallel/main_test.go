package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// a million functions; called: 1000000 <nil>
	//   work items for them: fewer than ten: true
	// a loop over a million indexes, 5000 a block; their sum: 499999500000 <nil>
	//   blocks: 200
	// sixteen indexes, the first one holds up its goroutine: 1 taken by another meanwhile: 15 <nil>
	// a million indexes, by the caller alone: 1000000 <nil> work items: 0
	// shut down: <nil>
}
