package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// payment 1
	// payment 2
	// payment 3
	// the monthly report: overtaken by three payments that came after it, and not by the fourth
	// payment 4
	// a mail that was queued last, and moved to the most urgent level
	// a thumbnail
	// shut down: <nil> <nil>
}
