package statemachine_test

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/statemachine"
)

// roundsFrame starts a job and awaits it, for as long as more returns true. At first it
// yields, in order to be on a worker.
type roundsFrame struct {
	statemachine.Frame
	ctx    context.Context
	fn     func(context.Context) (int, error)
	more   func() bool
	j      *job.Job[int]
	result error
}

func (f *roundsFrame) MoveNext(r *statemachine.Run) bool {
	switch f.State {
	case 0:
		f.State = 1
		return r.Yield()
	case 2:
		_, f.result = statemachine.JobResult(r, f.j)
	}
	if !f.more() {
		return true
	}
	f.j = job.Run(f.ctx, f.fn)
	f.State = 2
	return r.Await(f.j)
}

type roundsMachine struct {
	statemachine.Builder[job.Void]
	roundsFrame
}

// Root is for the runtime.
func (m *roundsMachine) Root() (statemachine.Root, statemachine.Location) {
	return m.Chain.Root(&m.Promise.Job), statemachine.Location{}
}

func (m *roundsMachine) MoveNext(r *statemachine.Run) bool {
	if !m.roundsFrame.MoveNext(r) {
		return false
	}
	m.SetResult(r, job.Void{}, m.result)
	return true
}

func roundsAsync(ctx context.Context, fn func(context.Context) (int, error), more func() bool) *job.Job[job.Void] {
	var r statemachine.Run
	frame := roundsFrame{ctx: ctx, fn: fn, more: more}
	frame.MoveNext(&r)
	m := &roundsMachine{roundsFrame: frame}
	m.Chain.Start(&m.Promise.Job, ctx, &r, m, &m.Frame)
	return &m.Promise.Job
}

func times(n int) func() bool {
	return func() bool { n--; return n >= 0 }
}

func singleWorker(t *testing.T) (*pool.Pool, context.Context) {
	p := pool.New(pool.Workers(1, 1), pool.AddAfter(0))
	t.Cleanup(func() { assert.NoError(t, p.Shutdown(context.Background())) })
	return p, schedulers.With(context.Background(), p)
}

func TestAMachineRunsTheQueuedJobThatItAwaits(t *testing.T) {
	p, ctx := singleWorker(t)
	fn := func(context.Context) (int, error) { return 1, nil }
	_, err := roundsAsync(ctx, fn, times(10)).Wait(context.Background())
	require.NoError(t, err)
	// Ten jobs and the turn for the machine's yield. A turn for each await would add ten more.
	assert.Equal(t, uint64(11), p.Metrics().Submitted)
}

func TestAJobThatAMachineRunsMayPanic(t *testing.T) {
	_, ctx := singleWorker(t)
	_, err := roundsAsync(ctx, func(context.Context) (int, error) { panic("ouch") }, times(1)).Wait(context.Background())
	var p *job.PanicError
	require.ErrorAs(t, err, &p)
	assert.Equal(t, "ouch", p.Value)
	assert.Condition(t, func() bool {
		return slices.ContainsFunc(p.Async, func(f job.Frame) bool { return f.What == "async function" })
	}, "the machine is shown as the waiter: %v", p.Async)
}

func TestAJobThatAMachineRunsMayExit(t *testing.T) {
	_, ctx := singleWorker(t)
	fn := func(context.Context) (int, error) { runtime.Goexit(); return 1, nil }
	_, err := roundsAsync(ctx, fn, times(3)).Wait(context.Background())
	assert.ErrorIs(t, err, job.ErrGoexit, "the job's error, three times; the machine goes on")
}

func TestAMachineThatRunsItsJobsGivesWay(t *testing.T) {
	_, ctx := singleWorker(t)
	var stop atomic.Bool
	forever := roundsAsync(ctx, func(context.Context) (int, error) { return 1, nil }, func() bool { return !stop.Load() })
	// The machine runs on the only worker. If it kept that worker, this would never run.
	_, err := job.Go(ctx, func(context.Context) error { stop.Store(true); return nil }).Wait(context.Background())
	assert.NoError(t, err)
	_, err = forever.Wait(context.Background())
	assert.NoError(t, err)
}

// unstarted is roundsFrame with jobs that are not started before they are awaited, as
// generated code awaits job.Run(ctx, fn).Await().
func unstartedAsync(ctx context.Context, n int, fn func(context.Context) (int, error), opts ...job.Option) *job.Job[job.Void] {
	var r statemachine.Run
	frame := unstartedFrame{ctx: ctx, fn: fn, left: n, opts: opts}
	frame.MoveNext(&r)
	m := &unstartedMachine{unstartedFrame: frame}
	m.Chain.Start(&m.Promise.Job, ctx, &r, m, &m.Frame)
	return &m.Promise.Job
}

type unstartedFrame struct {
	statemachine.Frame
	ctx    context.Context
	fn     func(context.Context) (int, error)
	left   int
	opts   []job.Option
	j      *job.Job[int]
	result error
}

func (f *unstartedFrame) MoveNext(r *statemachine.Run) bool {
	switch f.State {
	case 0:
		f.State = 1
		return r.Yield()
	case 2:
		_, f.result = statemachine.JobResult(r, f.j)
	}
	if f.left == 0 || f.result != nil {
		return true
	}
	f.left--
	f.j = job.New(f.ctx, f.fn, f.opts...)
	f.State = 2
	return r.Await(f.j)
}

type unstartedMachine struct {
	statemachine.Builder[job.Void]
	unstartedFrame
}

// Root is for the runtime.
func (m *unstartedMachine) Root() (statemachine.Root, statemachine.Location) {
	return m.Chain.Root(&m.Promise.Job), statemachine.Location{}
}

func (m *unstartedMachine) MoveNext(r *statemachine.Run) bool {
	if !m.unstartedFrame.MoveNext(r) {
		return false
	}
	m.SetResult(r, job.Void{}, m.result)
	return true
}

func TestAMachineRunsTheUnstartedJobThatItAwaits(t *testing.T) {
	p, ctx := singleWorker(t)
	_, err := unstartedAsync(ctx, 200, func(context.Context) (int, error) { return 1, nil }).Wait(context.Background())
	require.NoError(t, err)
	require.NoError(t, p.Shutdown(context.Background())) // then the last work is counted
	m := p.Metrics()
	// The jobs, the turn for the machine's first yield, and one for each later yield.
	assert.Equal(t, uint64(200+1+200/61), m.Submitted)
	assert.Equal(t, m.Submitted, m.Completed)
}

func TestAnUnstartedJobWithWishesIsQueued(t *testing.T) {
	p, ctx := singleWorker(t)
	_, err := unstartedAsync(ctx, 1, func(context.Context) (int, error) { return 1, nil }, job.PreferFairness()).Wait(context.Background())
	require.NoError(t, err)
	assert.Equal(t, uint64(3), p.Metrics().Submitted, "the yield, the job, and the machine that goes on")
}

func TestAnUnstartedJobOfAClosedPoolIsRefused(t *testing.T) {
	p, ctx := singleWorker(t)
	closed := pool.New()
	require.NoError(t, closed.Shutdown(context.Background()))
	fn := func(context.Context) (int, error) { return 1, nil }
	_, err := unstartedAsync(ctx, 1, fn, job.On(closed)).Wait(context.Background())
	require.ErrorIs(t, err, job.ErrShutdown)

	entered, leave := make(chan struct{}), make(chan struct{})
	j := unstartedAsync(ctx, 2, func(context.Context) (int, error) { close(entered); <-leave; return 1, nil })
	<-entered
	ended := make(chan error, 1)
	go func() { ended <- p.Shutdown(context.Background()) }()
	for p.Submit(noWork{}, schedulers.Hint{}) == nil {
		runtime.Gosched()
	}
	close(leave)
	_, err = j.Wait(context.Background())
	require.ErrorIs(t, err, job.ErrShutdown, "its own pool, whose worker it is on")
	require.NoError(t, <-ended)
}

type noWork struct{}

func (noWork) Run(schedulers.Worker) {}
func (noWork) Abandon(error)         {}
