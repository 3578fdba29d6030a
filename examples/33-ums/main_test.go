package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// entry point: startup, parameter: processor 0
	//   from the list: reader, Created
	//   from the list: counter, Created
	//   executes reader
	// entry point: a worker is blocked, in a call
	//   executes counter
	// entry point: counter has yielded, parameter: counted to 1
	//   executes counter
	// entry point: counter has yielded, parameter: counted to 2
	//   executes counter
	// entry point: a worker is blocked, ended
	//   from the list: counter, Terminated, cleaned up
	//   waits for the list
	//   from the list: reader, Ready
	//   executes reader
	//   the reader has read: forty-two
	// entry point: a worker is blocked, ended
	//   from the list: reader, Terminated, cleaned up
	//   no worker is left: the thread leaves the scheduling mode
	// the thread ends: <nil>
}
