package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// on its own thread: on the dedicated thread, <nil>; the holder is Running
	// flagged as long-running: on a goroutine of its own, <nil>; the holder is Running
	// queued like any other: on worker 2 of the pool, <nil>; the holder is Running
	// shut down: <nil> <nil>
}
