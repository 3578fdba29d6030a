package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/job"
)

// nap is an operation that waits: for an answer, a timer, a turn.
//
//movenext:async
func nap(ctx context.Context, d time.Duration) error {
	return job.Sleep(ctx, d)
}

// napTime is how long the sleepers sleep. Where that is too short for all to be
// asleep at once, on a slow or busy machine, they sleep again, twice as long.
const napTime = 3 * time.Second

// compareSleepers puts n operations to sleep at once, as goroutines and as machines, and prints
// what each holds. The goroutines only call time.Sleep: the least that a sleeping goroutine can
// hold.
func compareSleepers(ctx context.Context, w io.Writer, n int) error {
	fmt.Fprintf(w, "\n%d operations asleep at once:\n", n)

	goroutines := bytesEach(n, napTime, func(nap time.Duration) sleeping {
		var started, all sync.WaitGroup
		var awake atomic.Int64
		started.Add(n)
		for range n {
			all.Go(func() {
				started.Done()
				time.Sleep(nap)
				awake.Add(1)
			})
		}
		started.Wait() // goroutines get their stacks when they run for the first time
		return sleeping{awake: func() bool { return awake.Load() > 0 }, wait: all.Wait}
	})
	fmt.Fprintf(w, "  as goroutines: %5d bytes each\n", goroutines)

	failed := 0
	machines := bytesEach(n, napTime, func(nap time.Duration) sleeping {
		jobs := make([]*job.Job[job.Void], n)
		for i := range jobs {
			jobs[i] = napAsync(ctx, nap)
		}
		return sleeping{
			awake: func() bool { return ctx.Err() == nil && slices.ContainsFunc(jobs, (*job.Job[job.Void]).IsCompleted) },
			wait: func() {
				for _, j := range jobs {
					if _, err := j.Wait(context.Background()); err != nil {
						failed++
					}
				}
			},
		}
	})
	fmt.Fprintf(w, "  as machines:   %5d bytes each, 1/%.1f of it\n", machines, float64(goroutines)/float64(machines))
	if failed > 0 {
		return fmt.Errorf("%d of %d sleepers were interrupted: %w", failed, n, context.Cause(ctx))
	}
	return nil
}

// sleeping is a number of operations that have gone to sleep.
type sleeping struct {
	awake func() bool // whether some have woken up
	wait  func()      // until all have
}

// bytesEach measures what n operations hold while all of them sleep: heap and stacks,
// after a collection.
func bytesEach(n int, nap time.Duration, start func(nap time.Duration) sleeping) int {
	for {
		before := inUse()
		s := start(nap)
		held := inUse() - before
		tooLate := s.awake()
		s.wait()
		if !tooLate {
			return held / n
		}
		nap *= 2
	}
}

func inUse() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapInuse + m.StackInuse)
}
