package workloads

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/alitto/pond/v2"
	"github.com/bytedance/gopkg/util/gopool"
	"github.com/panjf2000/ants/v2"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/lab/bench/suite"
)

// latency is L1: how long a job waits to run when all workers are busy. Throughput is easily
// gained at the expense of latency: a worker that prefers its own queue does not check the
// others.
func latency() *suite.Work {
	return &suite.Work{
		ID:    "L1",
		Title: "wait for a turn while all workers are busy; the time is the mean from start to beginning",
		Op:    "job",
		N:     2_000,
		Once:  true,
		Bases: []string{goroutines},
		Contenders: append([]suite.Contender{
			{Name: goroutines, Start: busily(func(suite.Setting) (submit, func()) {
				return func(f func()) { go f() }, func() {}
			})},
			{Name: "ants", Note: "starting a job blocks", Start: busily(func(s suite.Setting) (submit, func()) {
				p, err := ants.NewPool(s.Width() + crowd()) // with fewer it would deadlock
				accept(err)
				return func(f func()) { accept(p.Submit(f)) }, func() { release(p) }
			})},
			{Name: "pond", Start: busily(func(s suite.Setting) (submit, func()) {
				p := pond.NewPool(s.Width())
				return func(f func()) { accept(p.Go(f)) }, p.StopAndWait
			})},
			{Name: "gopool", Start: busily(func(s suite.Setting) (submit, func()) {
				return gopool.NewPool("latency", gopoolCap(s), gopool.NewConfig()).Go, func() {}
			})},
		}, suite.On(append(everywhere(), suite.Goroutine), "", "", func(ctx context.Context, _ suite.Setting) suite.Run {
			return busy(func(f func()) { job.Go(ctx, plain(f)) })
		})...),
	}
}

// latencyBesideEndless is VL1: L1 while the busy jobs never end. Go preempts them every 10 ms. A
// pool adds a worker when nothing has ended for a tenth of a second, unless it knows that they are
// long.
func latencyBesideEndless() *suite.Work {
	beside := func(options ...job.Option) func(context.Context, suite.Setting) suite.Run {
		return func(ctx context.Context, _ suite.Setting) suite.Run {
			return busyForever(
				func(f func()) { job.Go(ctx, plain(f), options...) },
				func(f func()) { job.Go(ctx, plain(f)) },
			)
		}
	}
	return &suite.Work{
		ID:    "VL1",
		Title: "wait for a turn while all workers compute without an end",
		Op:    "job",
		N:     50,
		Once:  true,
		Bases: []string{goroutines},
		Contenders: slices.Concat(
			[]suite.Contender{{Name: goroutines, Start: func(suite.Setting) (suite.Run, func()) {
				start := func(f func()) { go f() }
				return busyForever(start, start), func() {}
			}}},
			suite.On([]suite.Place{suite.Default}, "", "", beside()),
			suite.On([]suite.Place{suite.Default}, "LongRunning", "the endless jobs have said so", beside(job.LongRunning())),
		),
	}
}

// plain is a function as a job has it.
func plain(f func()) func(context.Context) error {
	return func(context.Context) error {
		f()
		return nil
	}
}

// submit starts a function.
type submit func(func())

func busily(open func(suite.Setting) (submit, func())) func(suite.Setting) (suite.Run, func()) {
	return func(s suite.Setting) (suite.Run, func()) {
		start, stop := open(s)
		return busy(start), stop
	}
}

const (
	spell = 20 * time.Microsecond  // how long a busy job computes before it starts the next
	pause = 200 * time.Microsecond // between two timed jobs
)

// crowd is the number of jobs that keep the workers busy: several for each.
func crowd() int { return 4 * runtime.GOMAXPROCS(0) }

// busy keeps a crowd of jobs running, each of which starts its successor, and times n other jobs
// that arrive from outside one by one.
func busy(start submit) suite.Run {
	loops := calibrate(spell)
	return func(m *suite.Meter, n int) error {
		began := time.Now()
		var ended atomic.Bool
		var crowded sync.WaitGroup
		crowded.Add(crowd())
		var next func()
		next = func() {
			compute(loops)
			if ended.Load() {
				crowded.Done()
				return
			}
			start(next)
		}
		for range crowd() {
			start(next)
		}
		waits := timed(start, n)
		ended.Store(true)
		crowded.Wait()
		report(m, began, waits)
		return nil
	}
}

// busyForever keeps each processor busy with two jobs that end with the measurement.
func busyForever(long, short submit) suite.Run {
	loops := calibrate(spell)
	return func(m *suite.Meter, n int) error {
		began := time.Now()
		var ended atomic.Bool
		var crowded sync.WaitGroup
		for range 2 * runtime.GOMAXPROCS(0) {
			crowded.Add(1)
			long(func() {
				defer crowded.Done()
				for !ended.Load() {
					compute(loops)
				}
			})
		}
		waits := timed(short, n)
		ended.Store(true)
		crowded.Wait()
		report(m, began, waits)
		return nil
	}
}

// timed starts n jobs one by one, and returns how long each waited for its turn.
func timed(start submit, n int) []time.Duration {
	waits := make([]time.Duration, n)
	for i := range waits {
		time.Sleep(pause)
		turn := make(chan time.Duration, 1)
		at := time.Now()
		start(func() { turn <- time.Since(at) })
		waits[i] = <-turn
	}
	return waits
}

// report reports percentiles. It makes the sum of the waits the time of the run, so that the time
// of an operation is the mean wait.
func report(m *suite.Meter, began time.Time, waits []time.Duration) {
	sum := time.Duration(0)
	for _, w := range waits {
		sum += w
	}
	slices.Sort(waits)
	for _, p := range []struct {
		name string
		part float64
	}{{"p50 µs", 0.5}, {"p99 µs", 0.99}, {"p99.9 µs", 0.999}} {
		m.Report(p.name, float64(percentile(waits, p.part))/float64(time.Microsecond))
	}
	m.Exclude(time.Since(began) - sum)
}

// percentile returns the smallest of the sorted values that is not exceeded by that share
// of them.
func percentile(sorted []time.Duration, part float64) time.Duration {
	return sorted[min(len(sorted)-1, int(part*float64(len(sorted))))]
}
