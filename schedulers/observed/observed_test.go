package observed_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/exclusive"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/observed"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/schedulertest"
)

//go:generate go tool movenext .

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler {
		return observed.New(pool.New(pool.Workers(2, 2)), func(observed.Event) {})
	})
}

// do is a function as Work.
type do func(on schedulers.Worker)

func (f do) Run(on schedulers.Worker) { f(on) }

func (do) Abandon(error) {}

// seen collects events.
type seen struct {
	mu     sync.Mutex
	events []observed.Event
}

func (s *seen) handle(e observed.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
}

func submit(t *testing.T, s schedulers.Scheduler, run func(on schedulers.Worker)) {
	t.Helper()
	require.NoError(t, s.Submit(do(run), schedulers.Hint{}))
}

var errOnPurpose = errors.New("on purpose")

func explode(schedulers.Worker) { panic(errOnPurpose) }

func TestAPanicRaisesAnEventAndWorkContinues(t *testing.T) {
	var log seen
	beneath := manual.New()
	s := observed.New(beneath, log.handle)
	submit(t, s, explode)
	ran := false
	submit(t, s, func(schedulers.Worker) { ran = true })
	beneath.RunAll()
	assert.True(t, ran)
	require.Len(t, log.events, 1)
	e := log.events[0]
	assert.Equal(t, "worker 1: panic: on purpose", e.String())
	require.ErrorIs(t, e.Err, errOnPurpose)
	var p *observed.PanicError
	require.ErrorAs(t, e.Err, &p)
	assert.Contains(t, string(p.Stack), "observed_test.explode", "the stack shows where it began")
	assert.NoError(t, errors.Unwrap(&observed.PanicError{Value: "no error"}))
	assert.Equal(t, uint64(1), s.Metrics().Panicked)
	assert.Equal(t, uint64(1), beneath.Metrics().Panicked, "the panic has passed through")
}

func TestAGoexitRaisesAnEvent(t *testing.T) {
	var log seen
	beneath := goroutine.New()
	s := observed.New(beneath, log.handle)
	submit(t, s, func(schedulers.Worker) { runtime.Goexit() })
	require.NoError(t, s.Shutdown(context.Background()))
	require.Len(t, log.events, 1)
	assert.Equal(t, observed.ErrGoexit, log.events[0].Err)
}

// Shutdown returns after all events.
func TestShutdownReturnsAfterTheLastEvent(t *testing.T) {
	for range 200 {
		var log seen
		s := observed.New(goroutine.New(), log.handle)
		submit(t, s, explode)
		require.NoError(t, s.Shutdown(context.Background()))
		require.Len(t, log.events, 1)
	}
}

// The cases are all ways in which a job's function can fail, and two that are not failures.
func TestErrorsOfJobsAreEvents(t *testing.T) {
	var log seen
	beneath := pool.New(pool.Workers(1, 1))
	s := observed.New(beneath, log.handle)
	ctx := schedulers.With(context.Background(), s)
	run := func(fn func(context.Context) (int, error)) *job.Job[int] { return job.Run(ctx, observed.Errors(fn)) }

	well := run(func(context.Context) (int, error) { return 1, nil })
	fails := run(func(context.Context) (int, error) { return 2, errOnPurpose })
	panics := run(func(context.Context) (int, error) { panic("jobs recover this") })
	exits := run(func(context.Context) (int, error) { runtime.Goexit(); return 0, nil })
	canceled := run(func(ctx context.Context) (int, error) {
		ctx, cancel := context.WithCancelCause(ctx)
		cancel(errOnPurpose)
		return 0, context.Cause(ctx)
	})
	require.NoError(t, s.Shutdown(context.Background()))

	n, err := well.GetResult()
	assert.Equal(t, 1, n)
	require.NoError(t, err)
	n, err = fails.GetResult()
	assert.Equal(t, 2, n, "the result next to an error is kept")
	require.ErrorIs(t, err, errOnPurpose)
	require.Error(t, panics.Err())
	require.ErrorIs(t, exits.Err(), job.ErrGoexit)
	require.Error(t, canceled.Err())

	var texts []string
	for _, e := range log.events {
		texts = append(texts, e.Err.Error())
	}
	assert.Equal(t, []string{
		"on purpose",
		"panic: jobs recover this",
		observed.ErrGoexit.Error(),
		"on purpose", // the canceled context is not that of the function
	}, texts)
}

// A job recovers its panic, and so does a machine. The scheduler gets an event for each,
// once, and also for the panic of a child.
func TestPanickingJobsAreHeardWithoutAWrapper(t *testing.T) {
	var log seen
	s := observed.New(exclusive.NewStrand(observed.New(pool.New(), log.handle)), log.handle)
	ctx := schedulers.With(context.Background(), s)
	gate := job.NewSource[int]()
	programs := []func(){
		func() { job.Run(ctx, func(context.Context) (int, error) { panic("plain") }) },
		func() {
			_ = job.InScope(ctx, func(_ context.Context, sc *job.Scope) error {
				sc.Go(func(context.Context) error { panic("child") })
				return nil
			})
		},
		func() { panicsAsync(ctx, gate.Job()) },
		func() { literalAsync(ctx, gate.Job()) },
	}
	for _, start := range programs {
		start()
	}
	gate.TrySetResult(1)
	require.NoError(t, s.Shutdown(context.Background()))
	heard := map[string]int{}
	for _, e := range log.events {
		heard[e.Err.Error()]++
		var p *observed.PanicError
		require.ErrorAs(t, e.Err, &p)
		assert.Contains(t, string(p.Stack), "observed_test")
	}
	want := map[string]int{"panic: plain": 2, "panic: child": 2, "panic: machine": 2, "panic: literal": 2}
	assert.Equal(t, want, heard, "once by each of the two observers")
}

// panics panics on a worker, after a suspension.
//
//movenext:async
func panics(_ context.Context, j *job.Job[int]) int {
	_, _ = j.Await()
	panic("machine")
}

// literal starts a function literal that is a machine and panics after its suspension.
//
//movenext:async
func literal(ctx context.Context, j *job.Job[int]) {
	_, _ = job.Run(ctx, func(context.Context) (int, error) {
		_, _ = j.Await()
		panic("literal")
	}).Await()
}

func TestTheEndOfTheContextIsNoFailure(t *testing.T) {
	var log seen
	beneath := manual.New()
	s := observed.New(beneath, log.handle)
	ctx, cancel := context.WithCancelCause(schedulers.With(context.Background(), s))
	fn := observed.Errors(func(ctx context.Context) (int, error) {
		cancel(errOnPurpose)
		return 0, ctx.Err()
	})
	j := job.Run(ctx, fn)
	beneath.RunAll()
	assert.Equal(t, job.Canceled, j.Status())
	assert.Empty(t, log.events)
}

func TestAFailureBesideTheEndOfTheContextIsOne(t *testing.T) {
	var log seen
	beneath := manual.New()
	s := observed.New(beneath, log.handle)
	ctx, cancel := context.WithCancel(schedulers.With(context.Background(), s))
	job.Run(ctx, observed.Errors(func(ctx context.Context) (int, error) {
		cancel()
		return 0, errors.Join(ctx.Err(), errOnPurpose)
	}))
	beneath.RunAll()
	require.Len(t, log.events, 1)
	assert.ErrorIs(t, log.events[0].Err, errOnPurpose)
}

// A strand is between the work and the scheduler that observes it.
func TestReportFindsTheSchedulerBeneathOtherShims(t *testing.T) {
	var log seen
	s := observed.New(pool.New(), log.handle)
	strand := exclusive.NewStrand(s)
	_, err := job.Run(context.Background(), func(ctx context.Context) (bool, error) {
		return observed.Report(ctx, errOnPurpose), nil
	}, job.On(strand)).Wait(context.Background())
	require.NoError(t, err)
	require.Len(t, log.events, 1)
	assert.False(t, observed.Report(context.Background(), errOnPurpose), "no scheduler observes it")
}

func TestAHandlerThatPanicsOrIsNilDoesNoHarm(t *testing.T) {
	beneath := manual.New()
	angry := observed.New(beneath, func(observed.Event) { panic("handler") })
	silent := observed.New(beneath, nil)
	for _, s := range []*observed.Scheduler{angry, silent} {
		submit(t, s, explode)
		beneath.RunAll()
		assert.Equal(t, uint64(1), s.Metrics().Completed)
	}
	require.ErrorIs(t, observed.New(nil, nil).Submit(do(explode), schedulers.Hint{}), schedulers.ErrRejected)
}

func TestOverAnyScheduler(t *testing.T) {
	schedulertest.RunOver(t, func(_ testing.TB, s schedulers.Scheduler) schedulertest.Scheduler { return observed.New(s, nil) })
}
