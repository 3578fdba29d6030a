package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// in the job: ann
	// on a thread of its own: ann
	// done <nil>
	// scheduler in the outer context: <nil>
}
