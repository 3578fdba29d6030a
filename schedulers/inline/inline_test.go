package inline_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/inline"
	"github.com/movenext/movenext/schedulers/schedulertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestConformance submits each work item from a separate goroutine. Work of the suite calls
// runtime.Goexit, which ends the submitter, and the suite holds work items at a gate, which
// would block the submitter.
func TestConformance(t *testing.T) {
	schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler {
		return fromOthers{inline.New()}
	}, schedulertest.RunsInPlace())
}

type fromOthers struct{ *inline.Scheduler }

// Submit returns when Submit of the scheduler has returned, or the work has begun.
func (s fromOthers) Submit(w schedulers.Work, from schedulers.Hint) error {
	if w == nil {
		return s.Scheduler.Submit(nil, from)
	}
	begun, returned := make(chan struct{}), make(chan error, 1)
	go func() { returned <- s.Scheduler.Submit(observed{w, begun}, from) }()
	select {
	case <-begun:
		return nil
	case err := <-returned:
		return err
	}
}

// observed is a Work that reports when it begins.
type observed struct {
	schedulers.Work
	begun chan struct{}
}

func (o observed) Run(on schedulers.Worker) {
	close(o.begun)
	o.Work.Run(on)
}

// do is a Work that is never abandoned.
type do func(on schedulers.Worker)

func (f do) Run(on schedulers.Worker) { f(on) }

func (f do) Abandon(reason error) { panic(reason) }

func submit(t *testing.T, s schedulers.Scheduler, from schedulers.Worker, f func(on schedulers.Worker)) {
	t.Helper()
	require.NoError(t, s.Submit(do(f), schedulers.Hint{From: from}))
}

func TestSubmitReturnsWhenAllThatTheWorkSubmittedHasRun(t *testing.T) {
	s := inline.New()
	var order []string
	note := func(name string) { order = append(order, name) }
	submit(t, s, nil, func(on schedulers.Worker) {
		submit(t, s, on, func(on schedulers.Worker) {
			submit(t, s, on, func(schedulers.Worker) { note("grandchild") })
			note("child")
		})
		submit(t, s, on, func(schedulers.Worker) { note("second child") })
		assert.Len(t, s.Snapshot(), 2)
		note("parent")
	})
	assert.Equal(t, []string{"parent", "child", "second child", "grandchild"}, order)
}

// The test counts the callers of each link: with nested calls, the number of frames would
// grow.
func TestAMillionLinksUseConstantStack(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds under the race detector, and is on one goroutine")
	}
	s := inline.New()
	depths := map[int]bool{}
	left := 1_000_000
	var link func(on schedulers.Worker)
	link = func(on schedulers.Worker) {
		if left--; left > 0 {
			submit(t, s, on, link)
		}
		if left%100_000 == 0 {
			depths[runtime.Callers(0, make([]uintptr, 1000))] = true
		}
	}
	submit(t, s, nil, link)
	assert.Zero(t, left)
	assert.Len(t, depths, 1)
}

func TestWorkThatWaitsForItsOwnChildrenEnds(t *testing.T) {
	s := inline.New()
	ctx := schedulers.With(context.Background(), s)
	one := func(context.Context) (int, error) { return 1, nil }
	sum, err := job.Run(ctx, func(ctx context.Context) (int, error) {
		direct, err := job.Run(ctx, one).Wait(ctx) // run in place
		if err != nil {
			return 0, err
		}
		more, err := job.WhenAll(job.Run(ctx, one), job.Run(ctx, one)).Wait(ctx) // by Block
		return direct + len(more), err
	}).Wait(ctx)
	require.NoError(t, err)
	assert.Equal(t, 3, sum)
}

func TestWorkForAWaitingWorkerRunsInSubmit(t *testing.T) {
	s := inline.New()
	submit(t, s, nil, func(on schedulers.Worker) {
		unblock, err := on.(schedulers.Blocker).Block()
		require.NoError(t, err)
		ran := make(chan struct{})
		go submit(t, s, on, func(schedulers.Worker) { close(ran) })
		<-ran // no goroutine would run it from a queue
		unblock()
	})
}

func TestAPanicEndsAtSubmit(t *testing.T) {
	s := inline.New()
	submit(t, s, nil, func(schedulers.Worker) { panic("on purpose") })
	assert.Equal(t, uint64(1), s.Metrics().Panicked)
}

func TestGoexitEndsTheSubmitterAndTheQueueContinues(t *testing.T) {
	s := inline.New()
	ran := make(chan struct{})
	ended := make(chan bool)
	go func() {
		returned := false
		defer func() { ended <- returned }()
		submit(t, s, nil, func(on schedulers.Worker) {
			submit(t, s, on, func(schedulers.Worker) { close(ran) })
			runtime.Goexit()
		})
		returned = true
	}()
	assert.False(t, <-ended)
	<-ran
	require.NoError(t, s.Shutdown(context.Background()))
	assert.Equal(t, uint64(2), s.Metrics().Completed)
}

// given is a Work that records whether it was run or abandoned.
type given struct{ fate *[]error }

func (g given) Run(schedulers.Worker) { *g.fate = append(*g.fate, nil) }

func (g given) Abandon(reason error) { *g.fate = append(*g.fate, reason) }

func TestShutdownAbandonsWorkBehindRunningWork(t *testing.T) {
	s := inline.New()
	var fate []error
	cause := errors.New("enough")
	submit(t, s, nil, func(on schedulers.Worker) {
		for range 2 {
			require.NoError(t, s.Submit(given{&fate}, schedulers.Hint{From: on}))
		}
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(cause)
		require.Equal(t, cause, s.Shutdown(ctx))
		assert.Equal(t, []error{schedulers.ErrShutdown, schedulers.ErrShutdown}, fate)
		assert.ErrorIs(t, s.Submit(given{&fate}, schedulers.Hint{From: on}), schedulers.ErrShutdown)
	})
	assert.Len(t, fate, 2)
	m := s.Metrics()
	assert.Equal(t, schedulers.Metrics{Submitted: 3, Refused: 1, Completed: 1, Abandoned: 2}, m)
	assert.True(t, slices.Equal(s.Snapshot(), nil))
}
