package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// reject: Faulted true
	//    <nil> refused: 1
	// caller runs: Completed on the goroutine that has submitted it <nil>
	//    <nil> refused: 0
	// block: Completed on a worker <nil>
	//    <nil> refused: 0
}
