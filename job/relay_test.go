package job

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
)

func TestWaitAsyncIsTheJobItselfWhereThereIsNothingToBound(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := FromResult(1)
	assert.Same(t, done, WaitAsync(ctx, done))
	pending := NewSource[int]().Job()
	assert.Same(t, pending, WaitAsync(context.Background(), pending))
	cancel()
	assert.Same(t, done, WaitAsync(ctx, done), "a result that is there is returned, also to a caller without time left")
}

func TestWaitAsyncOfACreatedJob(t *testing.T) {
	j := New((&manual{}).ctx(), constant(1, nil))
	assert.Equal(t, ErrNotStarted, WaitAsync(context.Background(), j).Err())
	assert.Equal(t, Created, j.Status())
}

// Each of the three events that may end a wait, and the state of the other two afterwards.
func TestTheEndOfAWaitTakesTheOtherRegistrationsBack(t *testing.T) {
	rows := []struct {
		name string
		end  func(s *Source[int], cancel context.CancelCauseFunc)
		want Status
		errs []error
	}{
		{"the job", func(s *Source[int], _ context.CancelCauseFunc) { s.TrySetResult(1) }, Completed, nil},
		{"the job's fault", func(s *Source[int], _ context.CancelCauseFunc) { s.TrySetError(errBoom) }, Faulted, []error{errBoom}},
		{"the job's cancellation", func(s *Source[int], _ context.CancelCauseFunc) { s.TrySetCanceledCause(errBoom) }, Canceled, []error{errBoom}},
		{"the context", func(_ *Source[int], cancel context.CancelCauseFunc) { cancel(errBoom) }, Canceled, []error{errBoom, context.Canceled}},
		{"the time", func(*Source[int], context.CancelCauseFunc) { time.Sleep(2 * time.Minute) }, Canceled, []error{context.DeadlineExceeded}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &clocked{}
				ctx, cancel := context.WithCancelCause(schedulers.With(t.Context(), c))
				defer cancel(nil)
				s := NewSource[int]()
				w := WaitTimeout(ctx, s.Job(), time.Minute)
				assert.Equal(t, WaitingForActivation, w.Status())
				row.end(s, cancel)
				synctest.Wait()
				assert.Equal(t, row.want, w.Status())
				for _, err := range row.errs {
					assert.ErrorIs(t, w.Err(), err)
				}
				assert.Zero(t, waitersOf(s.Job()))
				if row.name != "the time" {
					assert.Zero(t, c.armed.Load(), "the timer is stopped")
				}
			})
		})
	}
}

func TestAWaitThatHasEndedLeavesTheJobAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := schedulers.With(t.Context(), &manual{})
		s := NewSource[int]()
		w := WaitTimeout(ctx, s.Job(), time.Second)
		_, err := w.Await()
		var we *WaitError
		require.ErrorAs(t, err, &we)
		assert.Equal(t, WaitingForActivation, s.Job().Status())
		assert.True(t, s.TrySetResult(1))
		assert.Equal(t, Canceled, w.Status())
	})
}

func TestAWaitWhoseTimeHasPassed(t *testing.T) {
	s := NewSource[int]()
	for _, d := range []time.Duration{0, -time.Second} {
		w := WaitTimeout(context.Background(), s.Job(), d)
		assert.ErrorIs(t, w.Err(), context.DeadlineExceeded)
		assert.Equal(t, Canceled, w.Status())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	assert.ErrorIs(t, WaitAsync(ctx, s.Job()).Err(), context.Canceled)
	assert.ErrorIs(t, WaitTimeout(ctx, s.Job(), time.Hour).Err(), context.Canceled)
	assert.Zero(t, waitersOf(s.Job()))
}

func TestTheJobEndsWhileTheRelayIsBeingSetUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &clocked{}
		s := NewSource[int]()
		ctx, cancel := context.WithCancel(schedulers.With(t.Context(), c))
		defer cancel()
		r := &relay[int]{ctx: ctx, timers: c}
		r.promise.job.core.init()
		r.watchSource(s.Job()).Deliver(nil)
		s.TrySetResult(1) // the watch and the timer are not there to be stopped yet
		r.watchContext(r)
		r.watchTime(time.Hour)
		assert.False(t, r.watch.Stop())
		assert.Zero(t, c.armed.Load())
	})
}

func TestTheContextEndsBeforeTheSourceIsListed(t *testing.T) {
	s := NewSource[int]()
	r := &relay[int]{ctx: context.Background()}
	r.promise.job.core.init()
	r.giveUp(context.Canceled)
	r.watchSource(s.Job()).Deliver(nil)
	assert.Zero(t, waitersOf(s.Job()))
}

func TestAllThreeAtOnce(t *testing.T) {
	ctx := onPool(t, 2)
	for i := range 500 {
		s := NewSource[int]()
		mine, cancel := context.WithCancel(ctx)
		var wg sync.WaitGroup
		wg.Go(cancel)
		wg.Go(func() { s.TrySetResult(1) })
		w := WaitTimeout(mine, s.Job(), time.Duration(i%50)*time.Microsecond)
		_, err := w.Await()
		wg.Wait()
		require.Equal(t, err == nil, w.Status() == Completed)
		require.Zero(t, waitersOf(s.Job()))
	}
}

func TestUnwrapEndsAsTheInnerJobDoes(t *testing.T) {
	ctx := context.Background()
	outer, inner := NewSource[*Job[int]](), NewSource[int]()
	u := Unwrap(ctx, outer.Job())
	outer.TrySetResult(inner.Job())
	assert.Equal(t, WaitingForActivation, u.Status())
	inner.TrySet(4, errBoom)
	v, err := u.GetResult()
	assert.Equal(t, 4, v)
	assert.Equal(t, errBoom, err)
	assert.Equal(t, Faulted, u.Status())

	assert.Equal(t, Canceled, Unwrap(ctx, FromResult(FromCanceled[int](nil))).Status())
	v, err = Unwrap(ctx, FromResult(FromResult(3))).GetResult()
	assert.NoError(t, err)
	assert.Equal(t, 3, v)
}

func TestUnwrapEndsAsTheOuterJobDoesIfThatFails(t *testing.T) {
	ctx := context.Background()
	u := Unwrap(ctx, FromError[*Job[int]](errBoom))
	assert.Equal(t, errBoom, u.Err())
	assert.Equal(t, Faulted, u.Status())
	assert.Equal(t, Canceled, Unwrap(ctx, FromCanceled[*Job[int]](nil)).Status())
}

func TestUnwrapStartsWhatIsCreated(t *testing.T) {
	m := &manual{}
	u := Unwrap(context.Background(), New(m.ctx(), func(ctx context.Context) (*Job[int], error) {
		return New(m.ctx(), constant(6, nil)), nil
	}))
	m.all()
	v, err := u.GetResult()
	assert.NoError(t, err)
	assert.Equal(t, 6, v)
}

func TestTheContextEndsAnUnwrapInEitherHalf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, second := range []bool{false, true} {
			ctx, cancel := context.WithCancel(t.Context())
			outer, inner := NewSource[*Job[int]](), NewSource[int]()
			u := Unwrap(ctx, outer.Job())
			if second {
				outer.TrySetResult(inner.Job())
			}
			cancel()
			synctest.Wait()
			assert.Equal(t, Canceled, u.Status())
			assert.ErrorIs(t, u.Err(), context.Canceled)
			assert.Zero(t, waitersOf(outer.Job()))
			assert.Zero(t, waitersOf(inner.Job()))
			outer.TrySetResult(inner.Job())
			assert.Zero(t, waitersOf(inner.Job()), "a late waiter is not listed")
		}
	})
}

func TestUnwrapCompleteAndCancelAtOnce(t *testing.T) {
	for range 500 {
		ctx, cancel := context.WithCancel(context.Background())
		outer, inner := NewSource[*Job[int]](), NewSource[int]()
		u := Unwrap(ctx, outer.Job())
		var wg sync.WaitGroup
		wg.Go(cancel)
		wg.Go(func() { outer.TrySetResult(inner.Job()) })
		_, err := u.Wait(context.Background())
		wg.Wait()
		require.ErrorIs(t, err, context.Canceled)
		require.Zero(t, waitersOf(inner.Job()))
	}
}

// unwatchable is a context that ends when it is asked for its Done channel, and whose Err panics
// from then on.
type unwatchable struct {
	context.Context
	asked *bool
}

func (u unwatchable) Done() <-chan struct{} {
	*u.asked = true
	ended := make(chan struct{})
	close(ended)
	return ended
}

func (u unwatchable) Err() error {
	if *u.asked {
		panic("Err")
	}
	return nil
}

func TestAContextThatFailsWhileItIsWatchedLeavesNobodyWhoWaits(t *testing.T) {
	for name, wait := range map[string]func(context.Context, *Job[int]){
		"WaitAsync":   func(ctx context.Context, j *Job[int]) { WaitAsync(ctx, j) },
		"WaitTimeout": func(ctx context.Context, j *Job[int]) { WaitTimeout(ctx, j, time.Hour) },
		"Unwrap":      func(ctx context.Context, j *Job[int]) { Unwrap(ctx, FromResult(j)) },
		"ContinueWith": func(ctx context.Context, j *Job[int]) {
			ContinueWith(ctx, j, func(context.Context, *Job[int]) (Void, error) {
				t.Error("nobody has this job")
				return Void{}, nil
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSource[int]()
			assert.PanicsWithValue(t, "Err", func() {
				wait(unwatchable{context.Background(), new(bool)}, s.Job())
			})
			assert.Zero(t, waitersOf(s.Job()))
			s.TrySetResult(1)
		})
	}
}
