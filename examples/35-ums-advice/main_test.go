package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// a worker reads a hundred times; how often its thread had to decide
	//   each read is a marked call:       102
	//   all reads are in one marked call: 3
	// a worker blocks twice, each time until its thread has other work; there are two threads
	//   threads that it has run for:       2
}
