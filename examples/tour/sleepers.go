package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/movenext/movenext/job"
)

// nap is an operation that waits: for an answer, a timer, a turn.
//
//movenext:async
func nap(ctx context.Context, d time.Duration) error {
	return job.Sleep(ctx, d)
}

// napTime is long enough for all sleepers to be asleep at once, on a slow machine too.
const napTime = 3 * time.Second

// compareSleepers puts n operations to sleep at once, as goroutines and as machines, and
// prints what each holds. The goroutines call time.Sleep and nothing else: the least that a
// sleeping goroutine can hold.
func compareSleepers(ctx context.Context, w io.Writer, n int) error {
	fmt.Fprintf(w, "\n%d operations asleep at once:\n", n)

	goroutines := bytesEach(n, func() (wait func()) {
		var wg sync.WaitGroup
		for range n {
			wg.Go(func() { time.Sleep(napTime) })
		}
		return wg.Wait
	})
	fmt.Fprintf(w, "  as goroutines: %5d bytes each\n", goroutines)

	failed := 0
	machines := bytesEach(n, func() (wait func()) {
		jobs := make([]*job.Job[job.Void], n)
		for i := range jobs {
			jobs[i] = napAsync(ctx, napTime)
		}
		return func() {
			for _, j := range jobs {
				if _, err := j.Wait(context.Background()); err != nil {
					failed++
				}
			}
		}
	})
	fmt.Fprintf(w, "  as machines:   %5d bytes each, 1/%.1f of it\n", machines, float64(goroutines)/float64(machines))
	if failed > 0 {
		return fmt.Errorf("%d of %d sleepers were interrupted: %w", failed, n, context.Cause(ctx))
	}
	return nil
}

// bytesEach measures what n operations hold between their start and their end: heap and stacks, after
// a collection.
func bytesEach(n int, start func() (wait func())) int {
	before := inUse()
	wait := start()
	held := inUse() - before
	wait()
	return held / n
}

func inUse() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapInuse + m.StackInuse)
}
