package coord

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/shrinkmap"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// attempts is a computation that counts how often it is run, and waits for its gate.
type attempts struct {
	n    atomic.Int32
	gate ManualResetEvent
	err  error
}

func (a *attempts) run(ctx context.Context) (int, error) {
	n := a.n.Add(1)
	if err := a.gate.Wait(ctx); err != nil {
		return 0, err
	}
	return int(n), a.err
}

// asking is Lazy.Get or SingleFlight.Do, which have most of their contracts in common.
type asking struct {
	*testing.T // of the test that it is in

	ask      func(context.Context) (int, error)
	askAsync func(context.Context) *job.Job[int]
	forget   func()
	kept     func() int // computations that a SingleFlight still knows
}

func bothOf(fn func(context.Context) (int, error)) map[string]asking {
	l := NewLazy(fn)
	s := new(SingleFlight[string, int])
	return map[string]asking{
		"Lazy": {nil, l.Get, l.GetAsync, l.Reset, func() int { return 0 }},
		"SingleFlight": {
			nil,
			func(ctx context.Context) (int, error) { return s.Do(ctx, "k", fn) },
			func(ctx context.Context) *job.Job[int] { return s.DoAsync(ctx, "k", fn) },
			func() { s.Forget("k") },
			func() int { return shrinkmap.Len(&s.flights) },
		},
	}
}

// onBoth runs a test for both, with a given computation.
func onBoth(t *testing.T, fn func(context.Context) (int, error), test func(a asking)) {
	t.Helper()
	for name, a := range bothOf(fn) {
		t.Run(name, func(t *testing.T) {
			a.T = t
			test(a)
			assert.Zero(t, a.kept())
		})
	}
}

// inBubbles runs a test in a bubble for both, with a computation that waits for its gate.
func inBubbles(t *testing.T, test func(ctx context.Context, a asking, c *attempts)) {
	t.Helper()
	for name := range bothOf(nil) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := new(attempts)
				a := bothOf(c.run)[name]
				a.T = t
				test(withPool(t), a, c)
				synctest.Wait()
				assert.Zero(t, a.kept())
			})
		})
	}
}

func TestConcurrentCallersShareOneComputation(t *testing.T) {
	inBubbles(t, func(ctx context.Context, a asking, c *attempts) {
		var jobs []*job.Job[int]
		var plain sync.WaitGroup
		for range 10 {
			jobs = append(jobs, a.askAsync(ctx))
			plain.Go(func() {
				v, err := a.ask(ctx)
				assert.NoError(a, err)
				assert.Equal(a, 1, v)
			})
		}
		synctest.Wait()
		pending(a.T, jobs...)
		c.gate.Set()
		plain.Wait()
		synctest.Wait()
		for _, j := range jobs {
			assert.Equal(a, 1, value(a.T, j))
		}
		assert.EqualValues(a, 1, c.n.Load())
	})
}

func TestACallerThatGivesUpDoesNotEndTheComputation(t *testing.T) {
	inBubbles(t, func(ctx context.Context, a asking, c *attempts) {
		short, cancel := context.WithCancelCause(ctx)
		first := a.askAsync(short)
		plain := make(chan error, 1)
		go func() {
			_, err := a.ask(short)
			plain <- err
		}()
		stays := a.askAsync(ctx)
		synctest.Wait()
		cancel(errReason)
		synctest.Wait()
		assert.Equal(a, job.Canceled, first.Status())
		for _, err := range []error{first.Err(), <-plain} {
			require.ErrorIs(a, err, context.Canceled)
			require.ErrorIs(a, err, errReason)
		}
		pending(a.T, stays)
		c.gate.Set()
		synctest.Wait()
		assert.Equal(a, 1, value(a.T, stays))
	})
}

func TestAJobOfASharedComputationCanNotCancelIt(t *testing.T) {
	inBubbles(t, func(ctx context.Context, a asking, c *attempts) {
		one, other := a.askAsync(ctx), a.askAsync(ctx)
		assert.False(a, one.Cancel())
		c.gate.Set()
		synctest.Wait()
		assert.Equal(a, 1, value(a.T, one))
		assert.Equal(a, 1, value(a.T, other))
	})
}

func TestAnErrorIsForTheWaitersAndNotKept(t *testing.T) {
	inBubbles(t, func(ctx context.Context, a asking, c *attempts) {
		c.err = errReason
		one, other := a.askAsync(ctx), a.askAsync(ctx)
		c.gate.Set()
		synctest.Wait()
		assert.Equal(a, errReason, one.Err())
		assert.Equal(a, errReason, other.Err())
		c.err = nil
		v, err := a.ask(ctx)
		require.NoError(a, err)
		assert.Equal(a, 2, v)
	})
}

func TestACallAfterAFailureStartsAnew(t *testing.T) {
	inBubbles(t, func(ctx context.Context, a asking, c *attempts) {
		c.err = errReason
		first := a.askAsync(ctx)
		var again *job.Job[int]
		whenEnded(a.T, first, func() { again = a.askAsync(ctx) })
		c.gate.Set()
		synctest.Wait()
		require.ErrorIs(a, again.Err(), errReason)
		assert.EqualValues(a, 2, c.n.Load())
	})
}

func TestAForgottenComputationEndsForItsWaiters(t *testing.T) {
	inBubbles(t, func(ctx context.Context, a asking, c *attempts) {
		old := a.askAsync(ctx)
		synctest.Wait()
		a.forget()
		renewed := a.askAsync(ctx)
		synctest.Wait()
		c.gate.Set()
		synctest.Wait()
		assert.Equal(a, 1, value(a.T, old))
		assert.Equal(a, 2, value(a.T, renewed))
	})
}

func TestAPanicInASharedComputationIsAnErrorToAll(t *testing.T) {
	for name, fn := range map[string]func(context.Context) (int, error){
		"panic":  func(context.Context) (int, error) { panic(errReason) },
		"goexit": func(context.Context) (int, error) { runtime.Goexit(); return 0, nil },
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, fn, func(a asking) {
				j := a.askAsync(endless)
				<-j.Done()
				// Not with ask: a Goexit of a computation that is run in place ends the
				// goroutine that waits.
				if name == "goexit" {
					require.ErrorIs(a, j.Err(), job.ErrGoexit)
				} else {
					require.ErrorIs(a, j.Err(), errReason)
				}
				_, same := j.Err().(*job.PanicError) // itself is what a twin call raises again
				assert.False(a, same)
				assert.NotEqual(a, job.ErrGoexit, j.Err())
			})
		})
	}
}

func TestTheSchedulerRefusesASharedComputation(t *testing.T) {
	onBoth(t, func(context.Context) (int, error) { return 1, nil }, func(a asking) {
		ctx := schedulers.With(endless, refusing{})
		_, err := a.ask(ctx)
		require.ErrorIs(a, err, schedulers.ErrRejected)
		require.ErrorIs(a, a.askAsync(ctx).Err(), schedulers.ErrRejected)
		v, err := a.ask(endless)
		require.NoError(a, err)
		assert.Equal(a, 1, v)
	})
}

func TestAskingWithoutAFunctionOrATime(t *testing.T) {
	onBoth(t, nil, func(a asking) {
		_, err := a.ask(endless)
		require.ErrorIs(a, err, job.ErrNilFunc)
		require.ErrorIs(a, a.askAsync(endless).Err(), job.ErrNilFunc)
		_, err = a.ask(ended(errReason))
		require.ErrorIs(a, err, errReason)
		assert.Equal(a, job.Canceled, a.askAsync(ended(errReason)).Status())
	})
}

func TestAComputedValueIsKept(t *testing.T) {
	var n int
	l := NewLazy(func(context.Context) (int, error) { n++; return n, nil })
	_, ok := l.Value()
	assert.False(t, ok)
	for range 3 {
		v, err := l.Get(endless)
		require.NoError(t, err)
		assert.Equal(t, 1, v)
	}
	v, ok := l.Value()
	assert.True(t, ok)
	assert.Equal(t, 1, v)
	one, other := l.GetAsync(endless), l.GetAsync(endless)
	assert.Same(t, one, other)
	l.Reset()
	v, err := l.Get(endless)
	require.NoError(t, err)
	assert.Equal(t, 2, v)
}

func TestTheFollowerIsQuickerThanTheMakerOfTheFlight(t *testing.T) {
	// The flight can be found before it is started: a caller that finds it starts it.
	var n int
	f := newFlight(endless, func(context.Context) (int, error) { n++; return n, nil })
	v, err := f.wait(endless)
	require.NoError(t, err)
	assert.Equal(t, 1, v)
	j := f.waitAsync(endless)
	pending(t, j)
	f.start()
	assert.Equal(t, 1, value(t, j))
	assert.Equal(t, 1, value(t, f.waitAsync(endless)))
}

func TestACallerIsNotServedTwiceByOneFlight(t *testing.T) {
	// The flight has ended and its entry is still there: landed has not been called.
	var s SingleFlight[string, int]
	old := newFlight(endless, func(context.Context) (int, error) { return 1, nil })
	s.join("k", old)
	_, err := old.wait(endless)
	require.NoError(t, err)
	v, err := s.Do(endless, "k", func(context.Context) (int, error) { return 2, nil })
	require.NoError(t, err)
	assert.Equal(t, 2, v)
}

func TestOneComputationAtATime(t *testing.T) {
	for _, procs := range manyProcs {
		t.Run(procs.String(), func(t *testing.T) {
			procs.use(t)
			var (
				s       SingleFlight[int, int]
				all     sync.WaitGroup
				running [3]atomic.Int32
			)
			for i := range 6 {
				all.Go(func() {
					for k := range 100 {
						key := (i + k) % len(running)
						fn := func(context.Context) (int, error) {
							assert.EqualValues(t, 1, running[key].Add(1))
							runtime.Gosched()
							running[key].Add(-1)
							return key, nil
						}
						v, err := s.Do(endless, key, fn)
						if k%2 == 0 {
							v, err = s.DoAsync(endless, key, fn).Await()
						}
						assert.NoError(t, err)
						assert.Equal(t, key, v)
					}
				})
			}
			all.Wait()
		})
	}
}
