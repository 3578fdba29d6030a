package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// ten thousand workers, 2500 of them wait for an answer
	//                        two run at most   wait at once   error
	// two scheduler threads       true           2500   <nil>
	// two plain threads           true              2   <nil>
	// shut down: <nil> <nil>
	// contexts that are left: 0
}
