package cancellable_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/cancellable"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/schedulertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler {
		return cancellable.New(pool.New(pool.Workers(2, 2)))
	})
}

// do is a function as Work. It records the reason for which it was abandoned.
type do struct {
	run       func(on schedulers.Worker)
	abandoned error
}

func (d *do) Run(on schedulers.Worker) {
	if d.run != nil {
		d.run(on)
	}
}

func (d *do) Abandon(reason error) { d.abandoned = reason }

func queue(t *testing.T, s *cancellable.Scheduler, d *do) *cancellable.Item {
	t.Helper()
	it, err := s.Queue(d, schedulers.Hint{})
	require.NoError(t, err)
	return it
}

var errOnPurpose = errors.New("on purpose")

func TestQueuedWorkIsWithdrawnAndNeverRuns(t *testing.T) {
	beneath := manual.New()
	s := cancellable.New(beneath)
	d := &do{run: func(schedulers.Worker) { t.Error("it has run") }}
	it := queue(t, s, d)
	assert.Equal(t, cancellable.Queued, it.State())
	assert.Equal(t, cancellable.Queued, it.Cancel(errOnPurpose))
	require.ErrorIs(t, d.abandoned, cancellable.ErrWithdrawn)
	require.ErrorIs(t, d.abandoned, schedulers.ErrShutdown)
	require.ErrorIs(t, d.abandoned, errOnPurpose)
	<-it.Done()
	assert.Equal(t, cancellable.Withdrawn, it.State())
	assert.Equal(t, cancellable.Withdrawn, it.Cancel(nil))
	assert.False(t, it.Withdraw())
	assert.Empty(t, s.Snapshot())
	assert.Equal(t, 1, beneath.RunAll(), "the item submitted beneath finds nothing to run")
	assert.Equal(t, schedulers.Metrics{Submitted: 1, Abandoned: 1}, s.Metrics())
}

func TestRunningWorkIsAskedToStop(t *testing.T) {
	s := cancellable.New(goroutine.New())
	begun := make(chan struct{})
	var cause error
	it := queue(t, s, &do{run: func(on schedulers.Worker) {
		close(begun)
		<-cancellable.Of(on).Done()
		cause = context.Cause(cancellable.Of(on))
	}})
	<-begun
	assert.Equal(t, cancellable.Running, it.State())
	assert.False(t, it.Withdraw(), "it runs, and Withdraw leaves it alone")
	assert.Equal(t, cancellable.Running, it.Cancel(errOnPurpose))
	<-it.Done()
	assert.Equal(t, errOnPurpose, cause)
	assert.Equal(t, cancellable.Ended, it.State())
	assert.Equal(t, cancellable.Ended, it.Cancel(nil))
	require.NoError(t, s.Shutdown(context.Background()))
}

func TestAbortBeforeContextEndsTheContext(t *testing.T) {
	beneath := manual.New()
	s := cancellable.New(beneath)
	var it *cancellable.Item
	it = queue(t, s, &do{run: func(on schedulers.Worker) {
		assert.Equal(t, cancellable.Running, it.Cancel(nil))
		assert.Equal(t, context.Canceled, context.Cause(cancellable.Of(on)))
	}})
	assert.Equal(t, 1, beneath.RunAll())
}

func TestAFunctionIsGivenItsContext(t *testing.T) {
	beneath := manual.New()
	s := cancellable.New(beneath)
	parent, cancel := context.WithCancelCause(context.WithValue(context.Background(), t, "value"))
	var kept context.Context
	_, err := s.Go(parent, func(ctx context.Context) {
		kept = ctx
		assert.Equal(t, "value", ctx.Value(t))
		assert.Same(t, s, schedulers.FromContext(ctx))
		assert.Same(t, s, schedulers.WorkerFrom(ctx).Scheduler())
		assert.NoError(t, ctx.Err())
		cancel(errOnPurpose)
		assert.Equal(t, errOnPurpose, context.Cause(ctx))
	})
	require.NoError(t, err)
	beneath.RunAll()
	require.Error(t, kept.Err())

	var none context.Context
	_, err = s.Go(none, nil)
	require.ErrorIs(t, err, schedulers.ErrRejected)
	it, err := s.Go(none, func(ctx context.Context) { kept = ctx })
	require.NoError(t, err)
	beneath.RunAll()
	assert.Equal(t, cancellable.Ended, it.State())
	require.ErrorIs(t, kept.Err(), context.Canceled, "a context ends with its work")
}

// The function of a job, on another shim above, learns of CancelAll.
func TestAJobLearnsOfAnAbort(t *testing.T) {
	s := cancellable.New(pool.New())
	above := limited.New(s, 4)
	begun := make(chan struct{})
	j := job.Go(schedulers.With(context.Background(), above), func(ctx context.Context) error {
		ctx, release := cancellable.Context(ctx)
		defer release()
		close(begun)
		<-ctx.Done()
		return context.Cause(ctx)
	})
	<-begun
	withdrawn, aborted := s.CancelAll(errOnPurpose)
	assert.Equal(t, []int{0, 1}, []int{withdrawn, aborted})
	_, err := j.Wait(context.Background())
	require.ErrorIs(t, err, errOnPurpose)
	require.NoError(t, s.Shutdown(context.Background()))

	ctx, release := cancellable.Context(context.Background())
	require.NoError(t, ctx.Err(), "it runs on no such worker, and ends with its parent")
	release()
	require.Error(t, ctx.Err())
}

func TestCancelAllWithdrawsTheOldestFirst(t *testing.T) {
	beneath := manual.New()
	s := cancellable.New(beneath)
	var order []int
	for i := range 50 {
		require.NoError(t, s.Submit(fate(func() { order = append(order, i) }), schedulers.Hint{}))
	}
	beneath.Step()
	withdrawn, aborted := s.CancelAll(nil)
	assert.Equal(t, []int{49, 0}, []int{withdrawn, aborted})
	assert.Len(t, order, 49)
	assert.IsIncreasing(t, order)
	withdrawn, aborted = s.CancelAll(nil)
	assert.Equal(t, []int{0, 0}, []int{withdrawn, aborted})
}

// fate is a Work that reports its abandonment.
type fate func()

func (fate) Run(schedulers.Worker) {}

func (f fate) Abandon(error) { f() }

// Each of a thousand work items is run once or withdrawn once, whichever happens first, and
// Cancel returns which.
func TestCancelRacingRun(t *testing.T) {
	beneath := pool.New(pool.Workers(2, 2))
	s := cancellable.New(beneath)
	var ran, withdrawn atomic.Int64
	var cancelers sync.WaitGroup
	for range 1000 {
		it, err := s.Queue(&do{run: func(schedulers.Worker) { ran.Add(1) }}, schedulers.Hint{})
		require.NoError(t, err)
		for range 2 {
			cancelers.Go(func() {
				if it.Cancel(nil) == cancellable.Queued {
					withdrawn.Add(1)
				}
			})
		}
	}
	cancelers.Wait()
	require.NoError(t, s.Shutdown(context.Background()))
	assert.Equal(t, int64(1000), ran.Load()+withdrawn.Load())
	m := s.Metrics()
	assert.Equal(t, uint64(ran.Load()), m.Completed)
	assert.Equal(t, uint64(withdrawn.Load()), m.Abandoned)
}

func TestAnItemThatAShutdownGaveUpIsWithdrawn(t *testing.T) {
	s := cancellable.New(manual.New())
	d := &do{}
	it := queue(t, s, d)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, s.Shutdown(ctx), context.Canceled)
	<-it.Done()
	assert.Equal(t, schedulers.ErrShutdown, d.abandoned)
	assert.Equal(t, cancellable.Withdrawn, it.State())
	_, err := s.Queue(d, schedulers.Hint{})
	require.ErrorIs(t, err, schedulers.ErrShutdown)
	withdrawn, aborted := s.CancelAll(nil)
	assert.Zero(t, withdrawn+aborted)
	_, err = cancellable.New(nil).Queue(d, schedulers.Hint{})
	require.ErrorIs(t, err, schedulers.ErrRejected)
}

func TestStatesHaveNames(t *testing.T) {
	assert.Equal(t, "Queued Running Ended Withdrawn State(9)",
		cancellable.Queued.String()+" "+cancellable.Running.String()+" "+cancellable.Ended.String()+" "+
			cancellable.Withdrawn.String()+" "+cancellable.State(9).String())
}

func TestOverAnyScheduler(t *testing.T) {
	schedulertest.RunOver(t, func(_ testing.TB, s schedulers.Scheduler) schedulertest.Scheduler { return cancellable.New(s) })
}
