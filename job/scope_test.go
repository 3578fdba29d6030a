package job

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// until is a child that runs until its context ends.
func until(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestAScopeEndsWhenItsLastChildHas(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx())
	var log []int
	for i := range 3 {
		assert.True(t, s.Go(func(context.Context) error { log = append(log, i); return nil }))
	}
	j := s.WaitAsync()
	m.step(t)
	m.step(t)
	assert.False(t, j.IsCompleted())
	m.step(t)
	assert.Equal(t, Completed, j.Status())
	assert.Equal(t, []int{0, 1, 2}, log)
	assert.NoError(t, s.Wait())
}

func TestAnEmptyScopeEndsAtOnce(t *testing.T) {
	s := NewScope(context.Background())
	assert.NoError(t, s.Wait())
	assert.Same(t, s.WaitAsync(), s.WaitAsync())
	assert.Equal(t, context.Canceled, s.Context().Err(), "its context has ended with it")
}

func TestTheLastChildEndsBeforeAndDuringTheWait(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx())
	s.Go(doNothing)
	m.all()
	assert.False(t, s.promise.job.IsCompleted(), "its maker may start more")
	s.Go(doNothing)
	assert.False(t, s.WaitAsync().IsCompleted())
	m.all()
	assert.True(t, s.WaitAsync().IsCompleted())
}

func TestAChildStartsAnotherWhileTheScopeIsWaitedFor(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx())
	s.Go(func(context.Context) error {
		assert.True(t, s.Go(doNothing))
		return nil
	})
	j := s.WaitAsync()
	m.step(t)
	assert.False(t, j.IsCompleted())
	m.all()
	assert.True(t, j.IsCompleted())
}

func TestAScopeThatHasEndedStartsNothing(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx())
	require.NoError(t, s.Wait())
	assert.False(t, s.Go(doNothing))
	assert.Equal(t, ErrScopeEnded, Spawn(s, constant(1, nil)).Err())
	assert.Equal(t, ErrScopeEnded, Spawn(nil, constant(1, nil)).Err())
	assert.Empty(t, m.hints)
}

func TestTheFirstFailureCancelsTheOthersAndComesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewScope(schedulers.With(t.Context(), pool.New()))
		late := errors.New("late")
		s.Go(until)
		s.Go(func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) })
		s.Go(func(ctx context.Context) error {
			<-ctx.Done()
			time.Sleep(time.Second)
			return late
		})
		s.Go(func(context.Context) error { return errBoom })
		err := s.Wait()
		assert.Equal(t, "boom\nlate", err.Error(), "those that were canceled have not failed")
		assert.ErrorIs(t, err, errBoom)
		assert.Equal(t, errBoom, context.Cause(s.Context()))
	})
}

func TestChildrenThatHaveNotBegunWhenTheScopeFailsDoNotRun(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx())
	s.Go(func(context.Context) error { return errBoom })
	s.Go(func(context.Context) error { t.Error("ran"); return nil })
	handle := Spawn(s, func(context.Context) (int, error) { t.Error("ran"); return 0, nil })
	m.all()
	assert.False(t, s.Go(doNothing))
	assert.ErrorIs(t, s.Wait(), errBoom)
	assert.Equal(t, Canceled, handle.Status())
	assert.ErrorIs(t, handle.Err(), errBoom, "the cause")
}

func TestASupervisorLetsChildrenFailOnTheirOwn(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx(), Supervisor())
	s.Go(func(context.Context) error { return errBoom })
	ran := false
	s.Go(func(ctx context.Context) error { ran = true; return ctx.Err() })
	s.Go(func(context.Context) error { return errors.New("second") })
	handle := Spawn(s, constant(0, errors.New("with a handle")))
	j := s.WaitAsync()
	m.all()
	assert.True(t, ran)
	assert.Equal(t, "boom\nsecond", j.Err().Error())
	assert.EqualError(t, handle.Err(), "with a handle")
}

func TestTheEndOfItsContextEndsAScopeCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(schedulers.With(t.Context(), pool.New()), time.Second, errBoom)
		defer cancel()
		s := NewScope(ctx)
		s.Go(until)
		err := s.Wait()
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorIs(t, err, errBoom)
		assert.Equal(t, Canceled, s.WaitAsync().Status())
	})
}

func TestAScopeWhoseChildrenWereDoneInTimeIsNotCanceled(t *testing.T) {
	m := &manual{}
	ctx, cancel := context.WithCancel(m.ctx())
	s := NewScope(ctx)
	s.Go(doNothing)
	m.all()
	cancel()
	assert.NoError(t, s.Wait())
}

func TestCancelEndsTheChildrenWithItsCause(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx())
	s.Go(doNothing)
	s.Cancel(errBoom)
	assert.False(t, s.Go(doNothing))
	m.all()
	err := s.Wait()
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorIs(t, err, errBoom)
}

func TestAChildCanceledByItsHandleIsNoFailure(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx())
	queued, running := Spawn(s, constant(1, nil)), (*Job[int])(nil)
	running = Spawn(s, func(ctx context.Context) (int, error) { running.Cancel(); return 0, ctx.Err() })
	assert.True(t, queued.Cancel())
	m.all()
	assert.Equal(t, Canceled, running.Status())
	assert.NoError(t, s.Wait())
}

func TestPanicsAndGoexitsOfChildrenAreFailures(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx(), Supervisor(), Named("outer"))
	s.Go(func(context.Context) error { _, _ = explode("ouch"); return nil })
	s.Go(func(context.Context) error { runtime.Goexit(); return nil })
	j := s.WaitAsync()
	for len(m.queue) > 0 {
		onItsOwnGoroutine(m.all)
	}
	var p *PanicError
	require.ErrorAs(t, j.Err(), &p)
	assert.Equal(t, "ouch", p.Value)
	assert.Contains(t, string(p.Stack), "job.explode")
	assert.Equal(t, []Frame{{What: "child"}, {What: "scope", Job: `"outer"`}}, p.Async)
	assert.ErrorIs(t, j.Err(), ErrGoexit)
}

func TestCloseCancelsWhatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := schedulers.With(t.Context(), pool.New())
		var ended atomic.Bool
		func() {
			s := NewScope(ctx)
			defer s.Close()
			s.Go(func(ctx context.Context) error {
				defer ended.Store(true)
				<-ctx.Done()
				assert.Equal(t, ErrScopeEnded, context.Cause(ctx))
				return nil
			})
			synctest.Wait()
		}()
		assert.True(t, ended.Load(), "no child outlives the function")

		s := NewScope(ctx)
		s.Go(until)
		assert.NoError(t, s.CloseAsync().Err())
		_, err := s.CloseAsync().Await()
		assert.NoError(t, err)
		s.Close()
	})
}

func TestAScopesContextCarriesWhatAJobsDoes(t *testing.T) {
	m, other := &manual{}, &manual{}
	s := NewScope(context.WithValue(m.ctx(), ctxKey{}, "v"), On(other), PreferFairness())
	s.Go(func(ctx context.Context) error {
		assert.Equal(t, "v", ctx.Value(ctxKey{}))
		assert.Same(t, other, schedulers.FromContext(ctx))
		assert.Same(t, other, schedulers.WorkerFrom(ctx).Scheduler())
		before := runtime.NumGoroutine()
		child, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(child, func() {})()
		assert.LessOrEqual(t, runtime.NumGoroutine(), before)
		return nil
	})
	assert.True(t, other.hints[0].Flags.Has(schedulers.PreferFairness))
	other.all()
	require.NoError(t, s.Wait())
}

func TestAShieldedScopeOutlivesItsContextsEnd(t *testing.T) {
	m := &manual{}
	ctx, cancel := context.WithCancel(m.ctx())
	s := NewScope(ctx, Shielded())
	cancel()
	assert.True(t, s.Go(func(ctx context.Context) error { return ctx.Err() }))
	m.all()
	assert.NoError(t, s.Wait())
}

func TestBadInputOfScopes(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx())
	assert.False(t, s.Go(nil))
	assert.ErrorIs(t, s.Wait(), ErrNilFunc)

	s = NewScope(m.ctx())
	assert.Equal(t, ErrNilFunc, Spawn[int](s, nil).Err())
	assert.ErrorIs(t, s.Wait(), ErrNilFunc)

	for _, o := range []Option{OnlyOnFaulted(), LazyCancellation(), RunSynchronously()} {
		s = NewScope(m.ctx(), o)
		assert.False(t, s.Go(doNothing))
		assert.ErrorIs(t, s.Wait(), ErrOption)
	}
	assert.ErrorIs(t, NewScope(m.ctx(), On(nil)).Wait(), ErrNilScheduler)
	assert.Equal(t, ErrOption, Run(m.ctx(), constant(1, nil), Supervisor()).Err())

	m.refuse = ErrShutdown
	s = NewScope(m.ctx())
	assert.False(t, s.Go(doNothing))
	assert.ErrorIs(t, s.Wait(), ErrShutdown)
	s = NewScope(m.ctx())
	assert.ErrorIs(t, Spawn(s, constant(1, nil)).Err(), ErrShutdown)
	assert.ErrorIs(t, s.Wait(), ErrShutdown)
}

func TestAbandonedChildrenHaveFailed(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx(), Supervisor())
	s.Go(doNothing)
	m.take(t).Abandon(fmt.Errorf("at night: %w", ErrShutdown))
	assert.ErrorIs(t, s.Wait(), ErrShutdown)
}

func TestManyStartAndEndAtOnce(t *testing.T) {
	ctx := onPool(t, 4)
	for range 100 {
		s := NewScope(ctx, Supervisor())
		var ran atomic.Int32
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 8 {
					s.Go(func(context.Context) error {
						ran.Add(1)
						s.Go(func(context.Context) error { ran.Add(1); return nil })
						return nil
					})
				}
			})
		}
		wg.Wait()
		require.NoError(t, s.Wait())
		require.EqualValues(t, 64, ran.Load())
	}
}

// A child that its own handle cancels is not a failure of the scope, and does not cancel it.
func TestAScopeWhoseChildWasCanceledHasCompleted(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx())
	child := Spawn(s, constant(1, nil))
	assert.True(t, child.Cancel())
	j := s.WaitAsync()
	m.all()
	assert.NoError(t, j.Err())
	assert.Equal(t, Completed, j.Status())
}
