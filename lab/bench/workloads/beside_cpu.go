package workloads

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/alitto/pond/v2"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/lab/bench/suite"
)

// computing is how long each computing job of W9c computes.
const computing = 2 * time.Millisecond

// blockBesideCPU is W9c: a scheduler that adds workers for blocking jobs must not add them for
// computing ones. There is one computing job per ten blocking jobs.
func blockBesideCPU() *suite.Work {
	places := []suite.Place{suite.Default, suite.Stealing, suite.Goroutine}
	w := blocking("W9c", "ten thousand jobs that block for a millisecond, among a thousand that compute for two", append([]suite.Contender{
		{Name: goroutines, Start: beside(func(compute, block func()) suite.Run {
			return mixWork(func(f func()) { go f() }, compute, block)
		})},
		{Name: "pond 1000", Start: func(suite.Setting) (suite.Run, func()) {
			p := pond.NewPool(blockingWidth)
			run, _ := beside(func(compute, block func()) suite.Run {
				return mixWork(func(f func()) { accept(p.Go(f)) }, compute, block)
			})(suite.Setting{})
			return run, p.StopAndWait
		}},
	}, suite.On(places, "", "", func(ctx context.Context, s suite.Setting) suite.Run {
		run, _ := beside(func(compute, block func()) suite.Run {
			return mixedJobs(ctx, compute, block)
		})(s)
		return run
	})...))
	w.Size = func(n int) (arg, ops int) {
		arg = max(10, n)
		return arg, arg + arg/10
	}
	return w
}

// beside makes a contender of a run over two functions: one that computes, and counts how many do
// so at the same time, and one that blocks.
func beside(newRun func(compute, block func()) suite.Run) func(suite.Setting) (suite.Run, func()) {
	return func(suite.Setting) (suite.Run, func()) {
		loops := calibrate(computing)
		var busy, most atomic.Int64
		run := newRun(func() {
			now := busy.Add(1)
			for before := most.Load(); now > before && !most.CompareAndSwap(before, now); before = most.Load() {
				continue
			}
			compute(loops)
			busy.Add(-1)
		}, func() { time.Sleep(moment) })
		return func(m *suite.Meter, n int) error {
			err := run(m, n)
			m.Report("computing at once", float64(most.Swap(0)))
			return err
		}, func() {}
	}
}

// mixWork submits the jobs, with a computing one after every ten, and waits for them.
func mixWork(submit func(func()), compute, block func()) suite.Run {
	return func(_ *suite.Meter, n int) error {
		var wg sync.WaitGroup
		wg.Add(n + n/10)
		for i := range n {
			submit(func() {
				block()
				wg.Done()
			})
			if i%10 == 9 {
				submit(func() {
					compute()
					wg.Done()
				})
			}
		}
		wg.Wait()
		return nil
	}
}

func mixedJobs(ctx context.Context, compute, block func()) suite.Run {
	return func(_ *suite.Meter, n int) error {
		jobs := make([]*job.Job[int], 0, n+n/10)
		run := func(f func()) {
			jobs = append(jobs, job.Run(ctx, func(context.Context) (int, error) {
				f()
				return 1, nil
			}))
		}
		for i := range n {
			run(block)
			if i%10 == 9 {
				run(compute)
			}
		}
		return sumOf(jobs, n+n/10)
	}
}

// calibrate returns how many loops of compute take d. It takes the quickest of a few
// tries: an interrupted try would make the workload too small.
func calibrate(d time.Duration) int {
	const tried = 200_000
	quickest := time.Duration(1<<63 - 1)
	for range 5 {
		before := time.Now()
		compute(tried)
		quickest = min(quickest, time.Since(before))
	}
	return int(int64(d) * tried / max(1, int64(quickest)))
}

// compute computes. The compiler cannot remove the loop: its result is stored where other
// code might read it.
func compute(loops int) {
	v := uint64(loops) | 1
	for range loops {
		v ^= v << 13
		v ^= v >> 7
		v ^= v << 17
	}
	computed.Store(v)
}

var computed atomic.Uint64
