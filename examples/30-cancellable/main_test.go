package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// thumbnail 1 was Queued and is Withdrawn
	// the download was Running
	// the download is Ended because the user has left
	// shut down: <nil> <nil>
	// thumbnail 0 Ended
	// thumbnail 1 Withdrawn
	// thumbnail 2 Ended
}
