package workloads

import (
	"context"
	"runtime"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/lab/bench/suite"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
)

// handOver is the last work: it passes work to a parked OS thread, and waits for it. The
// operating system determines the cost; the work measures what a scheduler adds.
func handOver() *suite.Work {
	const locked, free = "bare threads", "bare threads: caller free"
	return &suite.Work{
		ID:      "H",
		Title:   "hand over to a parked dedicated OS thread, and back",
		Op:      "round trip",
		N:       20_000,
		Bases:   []string{locked, free},
		Guarded: []suite.Measure{suite.Bytes, suite.Allocs},
		Contenders: []suite.Contender{
			{Name: locked, Note: "two goroutines locked to threads, two channels", Start: still(onLockedThread(bareThreads))},
			{Name: free, Note: "one of them is locked", Start: still(bareThreads)},
			{Name: "movenext dedicated", Note: "the caller is locked to a thread", Start: handOverJobs(onLockedThread)},
			{Name: "movenext dedicated: caller free", Start: handOverJobs(func(run suite.Run) suite.Run { return run })},
		},
	}
}

// onLockedThread runs on a goroutine that is locked to its thread.
func onLockedThread(run suite.Run) suite.Run {
	return func(m *suite.Meter, n int) error {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		return run(m, n)
	}
}

func bareThreads(_ *suite.Meter, n int) error {
	there, back := make(chan int), make(chan int)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for v := range there {
			back <- v + 1
		}
		close(back)
	}()
	v := 0
	for range n {
		there <- v
		v = <-back
	}
	close(there)
	<-back
	return suite.Check(v, n)
}

func handOverJobs(wrap func(suite.Run) suite.Run) func(suite.Setting) (suite.Run, func()) {
	return func(suite.Setting) (suite.Run, func()) {
		thread := dedicated.New(1)
		ctx := schedulers.With(context.Background(), thread)
		run := wrap(func(_ *suite.Meter, n int) error {
			v := 0
			for range n {
				var err error
				if v, err = job.Run(ctx, func(context.Context) (int, error) { return v + 1, nil }).Wait(ctx); err != nil {
					return err
				}
			}
			return suite.Check(v, n)
		})
		return run, func() { _ = thread.Shutdown(context.Background()) } // the queue is empty
	}
}
