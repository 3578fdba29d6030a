package job

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
)

// add returns a continuation's function that adds n to the result of its antecedent.
func add(n int) func(context.Context, *Job[int]) (int, error) {
	return func(_ context.Context, j *Job[int]) (int, error) {
		v, err := j.GetResult()
		return v + n, err
	}
}

func TestAContinuationRunsWithItsAntecedentWhateverBecameOfIt(t *testing.T) {
	ends := map[Status]func(*Source[int]){
		Completed: func(s *Source[int]) { s.TrySetResult(1) },
		Faulted:   func(s *Source[int]) { s.TrySetError(errBoom) },
		Canceled:  func(s *Source[int]) { s.TrySetCanceled() },
	}
	for status, end := range ends {
		m := &manual{}
		s := NewSource[int]()
		c := ContinueWith(m.ctx(), s.Job(), func(_ context.Context, j *Job[int]) (string, error) {
			assert.Same(t, s.Job(), j)
			return j.Status().String(), nil
		})
		end(s)
		m.all()
		v, err := c.GetResult()
		assert.NoError(t, err)
		assert.Equal(t, status.String(), v)
	}
}

func TestSiblingsRunInTheOrderInWhichTheyWereAdded(t *testing.T) {
	m := &manual{}
	s := NewSource[int]()
	var log []int
	for i := range 5 {
		ContinueWith(m.ctx(), s.Job(), func(context.Context, *Job[int]) (int, error) {
			log = append(log, i)
			return 0, nil
		})
	}
	s.TrySetResult(1)
	m.all()
	assert.Equal(t, []int{0, 1, 2, 3, 4}, log)
}

func TestAContinuationOfACompletedJobIsSubmittedNotCalled(t *testing.T) {
	m := &manual{}
	c := ContinueWith(m.ctx(), FromResult(1), add(1))
	assert.Equal(t, Scheduled, c.Status())
	m.all()
	v, _ := c.GetResult()
	assert.Equal(t, 2, v)
}

func TestCompletingRunsNoContinuationsCode(t *testing.T) {
	m := &manual{}
	s := NewSource[int]()
	var mu sync.Mutex
	ContinueWith(m.ctx(), s.Job(), func(context.Context, *Job[int]) (int, error) {
		mu.Lock() // would deadlock under the completer's lock
		defer mu.Unlock()
		return 0, nil
	}, RunSynchronously())
	mu.Lock()
	s.TrySetResult(1)
	mu.Unlock()
	m.all()
}

func TestACreatedAntecedentIsNotStarted(t *testing.T) {
	m := &manual{}
	j := New(m.ctx(), constant(1, nil))
	c := ContinueWith(m.ctx(), j, add(1))
	assert.Equal(t, Created, j.Status())
	require.NoError(t, j.Start())
	m.all()
	assert.Equal(t, Completed, c.Status())
}

func TestTheEndOfItsContextCancelsAContinuationAndItsAntecedentForgetsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &manual{}
		s := NewSource[int]()
		ctx, cancel := context.WithCancelCause(m.ctx())
		c := ContinueWith(ctx, s.Job(), add(1))
		assert.Equal(t, 1, waitersOf(s.Job()))
		cancel(errBoom)
		synctest.Wait()
		assert.Equal(t, Canceled, c.Status())
		assert.ErrorIs(t, c.Err(), errBoom)
		assert.Zero(t, waitersOf(s.Job()))
		s.TrySetResult(1)
		assert.Empty(t, m.queue)
	})
}

func TestACancelOfItsAntecedentDoesNotCancelAContinuation(t *testing.T) {
	m := &manual{}
	j := Run(m.ctx(), constant(1, nil))
	c := ContinueWith(m.ctx(), j, func(context.Context, *Job[int]) (int, error) { return 7, nil })
	j.Cancel()
	m.all()
	v, err := c.GetResult()
	assert.NoError(t, err)
	assert.Equal(t, 7, v)
}

func TestCancelOfAContinuationBeforeItsAntecedentEnds(t *testing.T) {
	m := &manual{}
	s := NewSource[int]()
	c := ContinueWith(m.ctx(), s.Job(), add(1))
	assert.True(t, c.Cancel())
	assert.Zero(t, waitersOf(s.Job()))
	s.TrySetResult(1)
	assert.Empty(t, m.queue)
	assert.Equal(t, context.Canceled, c.Err())
}

func TestCancelOfAContinuationBetweenItsAntecedentsEndAndItsTurn(t *testing.T) {
	m := &manual{}
	s := NewSource[int]()
	c := ContinueWith(m.ctx(), s.Job(), add(1))
	s.TrySetResult(1)
	assert.True(t, c.Cancel())
	m.all()
	assert.Equal(t, Canceled, c.Status())
}

func TestAContextThatHasEndedMakesNoRegistration(t *testing.T) {
	m := &manual{}
	ctx, cancel := context.WithCancel(m.ctx())
	cancel()
	s := NewSource[int]()
	c := ContinueWith(ctx, s.Job(), add(1))
	assert.Equal(t, Canceled, c.Status())
	assert.Zero(t, waitersOf(s.Job()))
}

// The two ends that may occur while attach is running.

func TestTheAntecedentEndsBeforeTheWatchIsStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &manual{}
		ctx, cancel := context.WithCancel(m.ctx())
		defer cancel()
		s := NewSource[int]()
		c := &continued[int, int]{fn: add(1), antecedent: s.Job()}
		err := c.job.core.prepare(&c.link.body, c, hook(ctx, func() { s.TrySetResult(1) }), nil, forContinuation, false)
		c.link.attach(&c.job.core, &s.Job().core, err)
		m.all()
		assert.Equal(t, Completed, c.job.Status())
		assert.False(t, c.link.watch.Stop(), "attach has stopped what no other call could")
	})
}

// hooked is a context that calls f when the watch gets its Done channel. An earlier call
// of Done, which checks whether the context can end at all, does not count.
type hooked struct {
	context.Context
	f     func()
	asked *int
}

func hook(ctx context.Context, f func()) hooked { return hooked{ctx, f, new(int)} }

func (h hooked) Done() <-chan struct{} {
	if *h.asked++; *h.asked > 1 {
		h.f()
	}
	return h.Context.Done()
}

func TestTheContextEndsWhileTheWatchIsStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &manual{}
		ctx, cancel := context.WithCancel(m.ctx())
		s := NewSource[int]()
		c := ContinueWith(hook(ctx, cancel), s.Job(), add(1))
		synctest.Wait()
		assert.Equal(t, Canceled, c.Status())
		assert.Zero(t, waitersOf(s.Job()))
	})
}

func TestCompleteAndCancelAtOnce(t *testing.T) {
	ctx := onPool(t, 2)
	for range 300 {
		s := NewSource[int]()
		mine, cancel := context.WithCancel(ctx)
		var all []*Job[int]
		for _, o := range [][]Option{nil, {RunSynchronously()}, {OnlyOnFaulted()}, {LazyCancellation()}} {
			all = append(all, ContinueWith(mine, s.Job(), add(1), o...))
		}
		then := Then(mine, s.Job(), func(_ context.Context, v int) (int, error) { return v, nil })
		caught := Catch(mine, s.Job(), func(_ context.Context, err error) (int, error) { return 0, err })
		all = append(all, then, caught)
		var wg sync.WaitGroup
		wg.Go(cancel)
		wg.Go(func() { s.TrySetResult(1) })
		wg.Go(func() { all[0].Cancel() })
		wg.Wait()
		for i, c := range all {
			_, err := c.Wait(context.Background())
			if err != nil {
				require.ErrorIs(t, err, context.Canceled, "%d", i)
				require.Equal(t, Canceled, c.Status(), "%d", i)
			}
		}
	}
}

func TestAFilteredOutContinuationIsCanceled(t *testing.T) {
	ends := map[Status]func(*Source[int]){
		Completed: func(s *Source[int]) { s.TrySetResult(1) },
		Faulted:   func(s *Source[int]) { s.TrySetError(errBoom) },
		Canceled:  func(s *Source[int]) { s.TrySetCanceled() },
	}
	filters := []struct {
		name string
		opts []Option
		runs []Status
	}{
		{"completed", []Option{OnlyOnCompleted()}, []Status{Completed}},
		{"faulted", []Option{OnlyOnFaulted()}, []Status{Faulted}},
		{"canceled", []Option{OnlyOnCanceled()}, []Status{Canceled}},
		{"not completed", []Option{OnlyOnFaulted(), OnlyOnCanceled()}, []Status{Faulted, Canceled}},
		{"all", []Option{OnlyOnFaulted(), OnlyOnCanceled(), OnlyOnCompleted()}, []Status{Completed, Faulted, Canceled}},
	}
	for _, f := range filters {
		for status, end := range ends {
			t.Run(fmt.Sprintf("%s after %v", f.name, status), func(t *testing.T) {
				m := &manual{}
				s := NewSource[int]()
				ran := false
				c := ContinueWith(m.ctx(), s.Job(), func(context.Context, *Job[int]) (int, error) {
					ran = true
					return 0, nil
				}, f.opts...)
				after := ContinueWith(m.ctx(), c, func(context.Context, *Job[int]) (int, error) { return 1, nil })
				end(s)
				m.all()
				if assert.Contains(t, []Status{Completed, Faulted, Canceled}, status); contains(f.runs, status) {
					assert.True(t, ran)
					assert.Equal(t, Completed, c.Status())
				} else {
					assert.False(t, ran)
					assert.Equal(t, Canceled, c.Status())
					assert.ErrorIs(t, c.Err(), ErrFiltered)
					assert.ErrorIs(t, c.Err(), context.Canceled)
				}
				assert.Equal(t, Completed, after.Status(), "the waiter is told in either case")
			})
		}
	}
}

func contains(all []Status, s Status) bool {
	for _, a := range all {
		if a == s {
			return true
		}
	}
	return false
}

func TestLazyCancellationWaitsForTheAntecedent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &manual{}
		ctx, cancel := context.WithCancel(m.ctx())
		s := NewSource[int]()
		c := ContinueWith(ctx, s.Job(), add(1), LazyCancellation())
		cancel()
		synctest.Wait()
		assert.Equal(t, WaitingForActivation, c.Status())
		s.TrySetResult(1)
		m.all()
		assert.Equal(t, Canceled, c.Status())
	})
}

func TestAShieldedContinuationRunsThoughItsContextHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &manual{}
		ctx, cancel := context.WithCancel(context.WithValue(m.ctx(), ctxKey{}, "v"))
		s := NewSource[int]()
		c := ContinueWith(ctx, s.Job(), func(ctx context.Context, _ *Job[int]) (any, error) {
			assert.Same(t, m, schedulers.FromContext(ctx))
			return ctx.Value(ctxKey{}), ctx.Err()
		}, Shielded())
		cancel()
		synctest.Wait()
		s.TrySetResult(1)
		m.all()
		v, err := c.GetResult()
		assert.NoError(t, err)
		assert.Equal(t, "v", v)
	})
}

func TestContinuationsPassTheirWishesOn(t *testing.T) {
	m := &manual{}
	s := NewSource[int]()
	ContinueWith(m.ctx(), s.Job(), add(1), PreferFairness(), LongRunning(), Named("last"))
	s.TrySetResult(1)
	assert.True(t, m.hints[0].Flags.Has(schedulers.PreferFairness|schedulers.LongRunning))
	m.all()
}

func TestAContinuationRefusedByItsSchedulerFaults(t *testing.T) {
	m := &manual{refuse: ErrShutdown}
	s := NewSource[int]()
	c := ContinueWith(m.ctx(), s.Job(), add(1))
	assert.True(t, s.TrySetResult(1), "the completer is not disturbed")
	assert.ErrorIs(t, c.Err(), ErrShutdown)
}

func TestOptionsThatMakeNoSenseAreErrors(t *testing.T) {
	ctx := context.Background()
	j := FromResult(1)
	fn := func(context.Context, int) (int, error) { return 0, nil }
	for name, err := range map[string]error{
		"a filter without antecedent":  Run(ctx, constant(1, nil), OnlyOnFaulted()).Err(),
		"nothing to run synchronously": New(ctx, constant(1, nil), RunSynchronously()).Err(),
		"nothing to be lazy for":       Go(ctx, doNothing, LazyCancellation()).Err(),
		"Then has its filter":          Then(ctx, j, fn, OnlyOnFaulted()).Err(),
		"Catch catches no results":     Catch(ctx, j, func(context.Context, error) (int, error) { return 0, nil }, OnlyOnCompleted()).Err(),
		"Finally runs always":          Finally(ctx, j, doNothing, OnlyOnCompleted()).Err(),
		"a name at the start":          New(ctx, constant(1, nil)).Start(Named("late")),
		"diagnostics at the start":     New(ctx, constant(1, nil)).Start(Diagnose(RecordCreation)),
		"a shield at the start":        New(ctx, constant(1, nil)).Start(Shielded()),
	} {
		assert.Equal(t, ErrOption, err, name)
	}
}
