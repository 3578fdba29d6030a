package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// reject:      Faulted - refused: true
	//   refused so far: 1 - shut down: <nil>
	// caller runs: Completed on the goroutine that has submitted it <nil>
	//   refused so far: 0 - shut down: <nil>
	// block:       Completed on a worker <nil>
	//   refused so far: 0 - shut down: <nil>
}
