package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// a continuation is added to a job that has ended
	//   model: it runs: false
	//   here:  it runs: true
	// the function of a job panics
	//   model: Running, the continuation runs: false
	//   here:  Faulted, the continuation runs: true, the error has the panic: true
	// a job has two continuations, and each prints the name of its antecedent
	//   model: antecedents first, the continuation; the handles are different: false
	//   here:  antecedents first, first; the handles are different: true
	// a job is started on a thread, and awaited before it runs
	//   model: it runs 2 times
	//   here:  Scheduled, it runs 1 time, <nil>
	// a job panics on a thread
	//   model: the thread dies: true, the job behind it runs: false
	//   here:  the thread dies: false, the job behind it runs: true; the one that panics is Faulted
	// a job of one thread is continued, while the default is another thread
	//   model: the continuation runs on the job's thread: false
	//   here:  the continuation runs on the job's thread: true, <nil>
	// an item is queued while its queue is closed
	//   model: accepted: true, items that run: 0
	//   here:  accepted and run, or refused: true, lost: 0
}
