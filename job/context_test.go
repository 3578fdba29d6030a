package job

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
)

type ctxKey struct{}

// inside runs f as a job and returns the job.
func inside(ctx context.Context, f func(context.Context)) *Job[Void] {
	return Go(ctx, func(ctx context.Context) error { f(ctx); return nil })
}

func TestAJobsContextCarriesItsParentsValuesAndDeadline(t *testing.T) {
	m := &manual{}
	when := time.Now().Add(time.Hour)
	parent, cancel := context.WithDeadline(context.WithValue(m.ctx(), ctxKey{}, "value"), when)
	defer cancel()
	j := inside(parent, func(ctx context.Context) {
		assert.Equal(t, "value", ctx.Value(ctxKey{}))
		got, ok := ctx.Deadline()
		assert.True(t, ok)
		assert.True(t, got.Equal(when))
		assert.Nil(t, ctx.Value("no such key"))
		ctx.Done() // from here on the real context answers
		assert.Equal(t, "value", ctx.Value(ctxKey{}))
	})
	m.all()
	require.NoError(t, j.Err())
}

func TestAJobsContextCarriesSchedulerAndWorker(t *testing.T) {
	ambient, chosen := &manual{}, &manual{}
	j := Go(ambient.ctx(), func(ctx context.Context) error {
		assert.Same(t, chosen, schedulers.FromContext(ctx))
		assert.Same(t, chosen, schedulers.WorkerFrom(ctx).Scheduler())
		below := context.WithValue(ctx, ctxKey{}, 1)
		assert.Same(t, chosen, schedulers.FromContext(below))
		return nil
	}, On(chosen))
	chosen.all()
	require.NoError(t, j.Err())
}

func TestABlockingJobShowsTheSchedulerOfItsCaller(t *testing.T) {
	m := &manual{}
	j := Blocking(m.ctx(), func(ctx context.Context) (bool, error) {
		return schedulers.FromContext(ctx) == m && schedulers.WorkerFrom(ctx) == nil, nil
	})
	ok, err := j.Wait(context.Background())
	assert.NoError(t, err)
	assert.True(t, ok)
}

func TestContextsDerivedFromAJobsContextStartNoGoroutine(t *testing.T) {
	m := &manual{}
	j := inside(m.ctx(), func(ctx context.Context) {
		before := runtime.NumGoroutine()
		child, cancel := context.WithCancel(ctx)
		defer cancel()
		grand, cancelGrand := context.WithTimeout(context.WithValue(child, ctxKey{}, 1), time.Hour)
		defer cancelGrand()
		stop := context.AfterFunc(grand, func() {})
		defer stop()
		assert.LessOrEqual(t, runtime.NumGoroutine(), before)
	})
	m.all()
	require.NoError(t, j.Err())
}

func TestContextsDerivedFromAJobsContextEndWithTheJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &manual{}
		var child context.Context
		cancel := func() {}
		ended := false
		j := inside(m.ctx(), func(ctx context.Context) {
			child, cancel = context.WithCancel(ctx) // must end without a call of cancel
			context.AfterFunc(ctx, func() { ended = true })
		})
		m.all()
		synctest.Wait()
		require.True(t, j.IsCompleted())
		assert.True(t, ended)
		assert.Equal(t, context.Canceled, child.Err())
		cancel()
	})
}

func TestAContextKeptBeyondItsJobHasEnded(t *testing.T) {
	m := &manual{}
	var plain, asked context.Context
	inside(m.ctx(), func(ctx context.Context) { plain = ctx })
	inside(m.ctx(), func(ctx context.Context) { asked = ctx; ctx.Done() })
	m.all()
	for _, ctx := range []context.Context{plain, asked} {
		assert.Equal(t, context.Canceled, ctx.Err())
		assert.Equal(t, context.Canceled, context.Cause(ctx))
		<-ctx.Done() // closed, even if it is requested only now
		child, cancel := context.WithCancel(ctx)
		assert.Equal(t, context.Canceled, child.Err())
		cancel()
	}
}

func TestTheCauseOfACancelReachesTheFunction(t *testing.T) {
	m := &manual{}
	cause := errors.New("the user left")
	var j *Job[Void]
	j = inside(m.ctx(), func(ctx context.Context) {
		child, cancel := context.WithCancel(ctx)
		defer cancel()
		require.NoError(t, ctx.Err())
		assert.True(t, j.CancelCause(cause))
		j.CancelCause(errBoom) // the first cause stays
		for _, c := range []context.Context{ctx, child} {
			assert.Equal(t, context.Canceled, c.Err())
			assert.Equal(t, cause, context.Cause(c))
			<-c.Done()
		}
	})
	m.all()
	assert.Equal(t, Completed, j.Status())
}

func TestTheCauseOfTheParentReachesTheFunction(t *testing.T) {
	m := &manual{}
	cause := errors.New("the server stops")
	parent, cancel := context.WithCancelCause(m.ctx())
	inside(parent, func(ctx context.Context) {
		cancel(cause)
		assert.Equal(t, context.Canceled, ctx.Err())
		assert.Equal(t, cause, context.Cause(ctx))
	})
	m.all()
}

// The rule that distinguishes Canceled from Faulted.
func TestAJobIsCanceledByItsOwnContextOnly(t *testing.T) {
	cause := errors.New("cause")
	rows := []struct {
		name string
		end  func(cancel context.CancelCauseFunc)
		err  error
		want Status
	}{
		{"the error of its context", func(c context.CancelCauseFunc) { c(nil) }, context.Canceled, Canceled},
		{"the cause of its context", func(c context.CancelCauseFunc) { c(cause) }, cause, Canceled},
		{"the error beside a cause", func(c context.CancelCauseFunc) { c(cause) }, context.Canceled, Canceled},
		{"wrapped", func(c context.CancelCauseFunc) { c(nil) }, &WaitError{context.Canceled}, Canceled},
		{"joined with itself", func(c context.CancelCauseFunc) { c(cause) }, errors.Join(context.Canceled, cause), Canceled},
		{"joined with a failure", func(c context.CancelCauseFunc) { c(nil) }, errors.Join(context.Canceled, errBoom), Faulted},
		{"its cause joined with a failure", func(c context.CancelCauseFunc) { c(cause) }, errors.Join(errBoom, cause), Faulted},
		{"deep beside a failure", func(c context.CancelCauseFunc) { c(nil) }, &WaitError{errors.Join(context.Canceled, errBoom)}, Faulted},
		{"in a panic", func(c context.CancelCauseFunc) { c(nil) }, &PanicError{Value: context.Canceled}, Faulted},
		{"of a source that was canceled with its cause", func(c context.CancelCauseFunc) { c(cause) }, canceledError(cause), Canceled},
		{"of a source that was canceled with another cause", func(c context.CancelCauseFunc) { c(nil) }, canceledError(cause), Faulted},
		{"some other error after its end", func(c context.CancelCauseFunc) { c(nil) }, errBoom, Faulted},
		{"what only looks like it", func(context.CancelCauseFunc) {}, context.Canceled, Faulted},
		{"some other context's deadline", func(c context.CancelCauseFunc) { c(nil) }, context.DeadlineExceeded, Faulted},
		{"none, though it has ended", func(c context.CancelCauseFunc) { c(nil) }, nil, Completed},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			m := &manual{}
			parent, cancel := context.WithCancelCause(m.ctx())
			j := Run(parent, func(context.Context) (int, error) { row.end(cancel); return 5, row.err })
			m.all()
			cancel(nil)
			assert.Equal(t, row.want, j.Status())
			v, err := j.GetResult()
			assert.Equal(t, 5, v, "the value is kept, whatever the status")
			assert.Equal(t, row.err, err, "and so is the error")
		})
	}
}

func TestAJobWhoseDeadlinePassedInTheQueueTellsWhich(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &manual{}
		parent, cancel := context.WithTimeoutCause(m.ctx(), time.Second, errBoom)
		defer cancel()
		j := Run(parent, constant(1, nil))
		time.Sleep(2 * time.Second)
		m.all()
		assert.Equal(t, Canceled, j.Status())
		assert.ErrorIs(t, j.Err(), context.DeadlineExceeded)
		assert.ErrorIs(t, j.Err(), errBoom)
		assert.NotErrorIs(t, j.Err(), context.Canceled)
	})
}

func TestMaterializeRacingTheEnd(t *testing.T) {
	for range 300 {
		j := New(context.Background(), constant(1, nil))
		b := j.core.own
		asked := make(chan context.Context)
		go func() { b.Done(); asked <- b }()
		j.core.endOwn()
		<-(<-asked).Done() // hangs if both thought that the other would cancel
	}
}

func TestAContextThatHasEndedHasEndedForGood(t *testing.T) {
	times := 2000
	if testing.Short() {
		times = 200
	}
	for range times {
		j := New(context.Background(), constant(1, nil))
		b := j.core.own
		j.core.endOwn()
		require.Error(t, b.Err())
		asked := make(chan struct{})
		go func() { b.Done(); close(asked) }() // seen only when it has ended
		for ended := false; !ended; {
			require.Error(t, b.Err())
			select {
			case <-asked:
				ended = true
			default:
			}
		}
		<-b.Done()
	}
}

func TestManyMaterializeOneContext(t *testing.T) {
	j := New(context.Background(), constant(1, nil))
	b := j.core.own
	const n = 8
	got := make(chan (<-chan struct{}), n)
	for range n {
		go func() { got <- b.Done() }()
	}
	first := <-got
	for range n - 1 {
		assert.Equal(t, first, <-got)
	}
	j.core.endOwn()
	<-first
}

func TestANilContextIsTheBackground(t *testing.T) {
	j := Run[int](nil, func(ctx context.Context) (int, error) { //nolint:staticcheck // that is the point
		return 1, ctx.Err()
	})
	v, err := j.Wait(nil) //nolint:staticcheck // that is the point
	assert.NoError(t, err)
	assert.Equal(t, 1, v)
	assert.NoError(t, Sleep(nil, time.Nanosecond)) //nolint:staticcheck // that is the point
}
