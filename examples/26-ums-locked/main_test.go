package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// from the list: the patient Created
	// from the list: the other worker Created
	// cannot execute the patient, locked: true
	// executes the other worker
	//   the debugger reads: worker 1: Created, locked, executed 0, blocked 0, yielded 0
	// from the list: the patient Created
	// from the list: the other worker Terminated
	// executes the patient
	//   the patient runs
	// from the list: the patient Terminated
	// the thread ends: <nil>
}
