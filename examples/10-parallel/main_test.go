package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// functions called: 1000000 <nil>
	//   work items for them: fewer than ten: true
	// sum of the indexes: 499999500000 <nil>
	//   blocks: 200
	// held up by one index: 1 taken by others meanwhile: 15 <nil>
	// by the caller alone: 1000000 <nil> work items: 0
	// <nil>
}
