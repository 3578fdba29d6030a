package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// the outer job has started four
	// t2: started second, in the worker's own queue
	// t1: started first, in the worker's own queue
	// t3: started third, in the global queue
	// t4: started fourth, in the global queue
	// with a second worker: <nil>
	// t1: on the worker of the outer job: true, on the other one: false, <nil>
	// t2: on the worker of the outer job: true, on the other one: false, <nil>
	// t3: on the worker of the outer job: false, on the other one: true, <nil>
	// t4: on the worker of the outer job: false, on the other one: true, <nil>
}
