package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// main.query is suspended
	// render waits for a worker
	// pool has works that were queued for more than a run: true
}
