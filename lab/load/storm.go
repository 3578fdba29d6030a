package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// storm is one load on one scheduler: producers start jobs, each of which ends as its dice
// determine.
type storm struct {
	candidate
	account

	s             target
	producers     int
	jobs          int64 // jobs before each producer's last one, including nested ones
	seed          uint64
	shutdownAfter int64                      // number of jobs before the shutdown; 0: half of them
	cancelsGroups bool                       // some contexts end for hundreds of jobs at once
	during        func(done <-chan struct{}) // runs next to the load until done is closed; or nil

	half, more    chan struct{} // closed when it is time for the shutdown, and a little later
	ended         chan struct{} // closed when Shutdown has returned
	unawaited     unawaitedJobs
	maxGoroutines atomic.Int64 // largest number of goroutines at one moment
}

// unawaitedJobs are jobs without a waiter.
type unawaitedJobs struct {
	mu   sync.Mutex
	jobs []entry
}

var errDeliberate = errors.New("load: an error on purpose")

// window is the number of jobs that a producer starts before it waits for the first of them.
const window = 256

// run puts the load on the scheduler, shuts it down in the middle, and returns an error if the
// account is wrong.
func (st *storm) run() error {
	ctx, cancel := context.WithCancel(context.Background())
	var beneath *pool.Pool
	if st.over != nil {
		beneath = pool.New()
		st.s = st.over(beneath)
	} else {
		st.s = st.make()
	}
	st.half, st.more, st.ended = make(chan struct{}), make(chan struct{}), make(chan struct{})

	var driving, producing sync.WaitGroup
	if st.drive != nil {
		driving.Go(func() { st.drive(ctx, st.s) })
	}
	for i := range st.producers {
		producing.Go(func() { st.produce(rand.New(rand.NewPCG(st.seed, uint64(i)))) })
	}
	err := st.shutDownInTheMiddle()
	close(st.ended)
	producing.Wait()
	for _, e := range st.unawaited.jobs {
		st.settle(e)
	}
	st.unawaited.jobs = nil
	cancel()
	driving.Wait()
	if beneath != nil {
		err = errors.Join(err, beneath.Shutdown(context.Background()))
	}
	if m, ok := st.s.(schedulers.Meter); ok {
		metrics := m.Metrics()
		return errors.Join(err, st.balance(&metrics))
	}
	return errors.Join(err, st.balance(nil))
}

// shutDownInTheMiddle drains for a short time, then abandons queued work, and waits for running
// work.
func (st *storm) shutDownInTheMiddle() error {
	<-st.half
	limited, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-st.more
		cancel()
	}()
	if err := st.s.Shutdown(limited); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("the first Shutdown: %w", err)
	}
	if err := st.s.Shutdown(context.Background()); err != nil {
		return fmt.Errorf("the last Shutdown: %w", err)
	}
	return nil
}

// admit counts a job that is about to be started, and reports whether it may be.
func (st *storm) admit() bool {
	n := st.submitted.Add(1)
	if n > st.jobs {
		st.submitted.Add(-1)
		return false
	}
	shutdownAt := st.jobsBeforeShutdown()
	if n == shutdownAt {
		close(st.half)
	}
	if n == min(st.jobs, shutdownAt+st.jobs/100+1) {
		close(st.more)
	}
	return true
}

// jobsBeforeShutdown returns the number of jobs that are started before the shutdown begins.
func (st *storm) jobsBeforeShutdown() int64 {
	if st.shutdownAfter > 0 {
		return min(st.shutdownAfter, st.jobs)
	}
	return (st.jobs + 1) / 2
}

func (st *storm) produce(dice *rand.Rand) {
	ctx := schedulers.With(context.Background(), st.s)
	var started []entry
	var g cancelGroup
	defer g.end()
	for st.admit() {
		if st.cancelsGroups {
			g.advance(ctx, dice)
		}
		started = append(started, st.start(g.contextOr(ctx), dice, g.isActive()))
		if len(started) == window {
			st.settle(started[0])
			started = append(started[:0], started[1:]...)
		}
	}
	for _, j := range started {
		st.settle(j)
	}
	<-st.ended
	st.submitted.Add(1)
	st.settle(st.start(ctx, dice, false)) // certainly after the shutdown
}

// cancelGroup is a context that ends while hundreds of its jobs are in progress. The zero
// value is not active.
type cancelGroup struct {
	ctx    context.Context
	cancel context.CancelFunc
	left   int // jobs until it ends, or until the next may begin
}

func (g *cancelGroup) isActive() bool { return g.ctx != nil }

func (g *cancelGroup) contextOr(ctx context.Context) context.Context {
	if g.isActive() {
		return g.ctx
	}
	return ctx
}

// advance begins or ends a group, if it is time.
func (g *cancelGroup) advance(ctx context.Context, dice *rand.Rand) {
	if g.left--; g.left > 0 {
		return
	}
	begins := !g.isActive()
	g.end()
	if begins {
		g.ctx, g.cancel = context.WithCancel(ctx)
	}
	g.left = 1 + dice.IntN(2*window)
}

func (g *cancelGroup) end() {
	if g.isActive() {
		g.cancel()
	}
	g.ctx, g.cancel = nil, nil
}

// start starts a job, and immediately cancels one in ten. Others may be canceled too if ends
// says that their context ends.
func (st *storm) start(ctx context.Context, dice *rand.Rand, ends bool) entry {
	roll := dice.IntN(10_000)
	canceled := isCanceled(roll)
	e := st.launchWith(ctx, &fate{roll: roll, canceled: canceled || ends})
	if canceled {
		e.Cancel()
	}
	return e
}

// body is the function of a job: of 100 jobs 10 panic, 5 return an error, 5 wait for a nested
// job; one in ten thousand ends its goroutine.
func (st *storm) body(ctx context.Context, f *fate) (int, error) {
	roll := f.roll
	switch {
	case roll == 0 && !st.inPlace:
		runtime.Goexit()
	case roll < panics:
		panic(errDeliberate)
	case roll < errs:
		return 0, errDeliberate
	case roll < nests:
		return st.runNested(ctx, f)
	}
	return roll, nil
}

// runNested starts a job and waits for it, on a worker. The wait may fail, or the job may end the
// waiting goroutine: then the job is counted later.
func (st *storm) runNested(ctx context.Context, f *fate) (int, error) {
	if !st.admit() {
		if v, returns := value(f.roll); returns {
			return v, nil
		}
		return 0, errDeliberate
	}
	e := st.launchWith(ctx, &fate{roll: child(f.roll), canceled: f.canceled || isCanceled(f.roll)})
	defer st.settleLater(e)
	return e.Wait(ctx)
}

func (st *storm) settleLater(e entry) {
	if e.IsCompleted() {
		st.settle(e)
		return
	}
	st.unawaited.mu.Lock()
	defer st.unawaited.mu.Unlock()
	st.unawaited.jobs = append(st.unawaited.jobs, e)
}

// launchWith starts a job with a fate.
func (st *storm) launchWith(ctx context.Context, f *fate) entry {
	function := func(ctx context.Context) (int, error) {
		st.calls.Add(1)
		f.calls.Add(1)
		return st.body(ctx, f)
	}
	defer st.noteGoroutines()
	if st.launch != nil {
		return entry{st.launch(ctx, function), f}
	}
	return entry{job.Run(ctx, function), f}
}

// noteGoroutines is called after each start of a job, since that is when goroutines are started.
func (st *storm) noteGoroutines() {
	n := int64(runtime.NumGoroutine())
	for highest := st.maxGoroutines.Load(); n > highest && !st.maxGoroutines.CompareAndSwap(highest, n); highest = st.maxGoroutines.Load() {
	}
}

// result is a row of the table.
type result struct {
	*storm
	took time.Duration
	err  error
}

// load puts the load on v, and watches it. If no job ends until the timeout, that is the
// result.
func load(v candidate, jobs int64, producers int, seed uint64, timeout time.Duration, configure ...func(*storm)) result {
	st := &storm{candidate: v, jobs: max(2, jobs-int64(producers)), producers: producers, seed: seed}
	for _, f := range configure {
		f(st)
	}
	before := holdings()
	began := time.Now()
	end := runBeside(st.during)
	ended := make(chan error, 1)
	go func() { ended <- st.run() }()
	err := st.watch(ended, timeout)
	end()
	took := time.Since(began)
	if err == nil {
		err = before.checkAfter(jobs, st.maxGoroutines.Load(), timeout)
	}
	return result{st, took, err}
}
