package parallel

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// withHelpers runs body in an operation whose helpers come as soon as they are called.
func withHelpers[R any](degree int, body func(w *Worker) (R, error)) (R, error) {
	return Run(schedulers.With(context.Background(), each{}), body, Degree(degree))
}

// apart is a pair of functions for Join that do not run one after the other: the first
// one waits until the second has begun, which it can only do on another goroutine.
type apart struct{ begun chan struct{} }

func newApart() apart { return apart{make(chan struct{})} }

// join joins first with second, which runs elsewhere.
func (a apart) join(w *Worker, first, second func(w *Worker) int) (int, int) {
	return Join2(w,
		func(w *Worker) int {
			<-a.begun
			return first(w)
		},
		func(w *Worker) int {
			close(a.begun)
			return second(w)
		})
}

func TestJoinOnEachScheduler(t *testing.T) {
	onEach(t, func(t *testing.T, ctx context.Context) {
		for _, degree := range []int{0, 1, 2, 8} {
			n, err := Run(ctx, func(w *Worker) (int, error) { return fib(w, 18), nil }, Degree(degree))
			require.NoError(t, err)
			require.Equal(t, 2584, n)
			n, err = Run(ctx, func(w *Worker) (int, error) { return fib2(w, 15), nil }, Degree(degree))
			require.NoError(t, err)
			require.Equal(t, 610, n)
			n, err = Run(ctx, func(w *Worker) (int, error) { return fibFork(w, 15), nil }, Degree(degree))
			require.NoError(t, err)
			require.Equal(t, 610, n)
			n, err = Run(ctx, func(w *Worker) (int, error) { return sky(w, skyArg{0, 1000}), nil }, Degree(degree))
			require.NoError(t, err)
			require.Equal(t, 499500, n)
		}
	})
}

func TestAForkThatIsTakenRunsElsewhere(t *testing.T) {
	n, err := withHelpers(2, func(w *Worker) (int, error) {
		var here, there string
		a, b := newApart().join(w,
			func(*Worker) int { here = goid(); return 1 },
			func(*Worker) int { there = goid(); return 2 })
		assert.NotEqual(t, here, there)
		return 10*a + b, nil
	})
	require.NoError(t, err)
	assert.Equal(t, 12, n)
}

func TestAJoinThatComesEarlySleepsUntilTheEnd(t *testing.T) {
	_, err := withHelpers(2, func(w *Worker) (int, error) {
		_, b := newApart().join(w,
			func(*Worker) int { return 0 },
			func(mine *Worker) int {
				for mine.current.state.Load() != awaited {
					runtime.Gosched()
				}
				return 1
			})
		assert.Equal(t, 1, b)
		return 0, nil
	})
	require.NoError(t, err)
}

// A fork that was taken forks in turn, and those forks can only run on the goroutine
// that waits for it: no other goroutine is free.
func TestAWaitingOwnerTakesWhatDescendsFromWhatItWaitsFor(t *testing.T) {
	for _, when := range []string{"while it looks", "while it sleeps"} {
		t.Run(when, func(t *testing.T) {
			_, err := withHelpers(2, func(w *Worker) (int, error) {
				var owner, helper string
				_, b := newApart().join(w,
					func(*Worker) int { owner = goid(); return 0 },
					func(mine *Worker) int {
						for when == "while it sleeps" && mine.current.state.Load() != awaited {
							runtime.Gosched()
						}
						_, d := newApart().join(mine,
							func(*Worker) int { return 0 },
							func(*Worker) int { helper = goid(); return 7 })
						return d
					})
				assert.Equal(t, 7, b)
				assert.Equal(t, owner, helper)
				return 0, nil
			})
			require.NoError(t, err)
		})
	}
}

func TestAWaitingOwnerRunsItsLaterForks(t *testing.T) {
	_, err := withHelpers(2, func(w *Worker) (int, error) {
		begun, second := make(chan struct{}), make(chan struct{})
		f1 := Fork(w, func(*Worker, int) int {
			close(begun)
			<-second
			return 1
		}, 0)
		<-begun
		f2 := Fork(w, func(*Worker, int) int { close(second); return 2 }, 0)
		f3 := Fork(w, func(*Worker, int) int { return 3 }, 0)
		assert.Equal(t, 1, f1.Join(w))
		assert.Equal(t, 2, f2.Join(w))
		assert.Equal(t, 3, f3.Join(w))
		assert.Zero(t, w.top)
		return 0, nil
	})
	require.NoError(t, err)
}

// A worker that waits must not take forks that do not descend from the one that it waits
// for, even if it is idle: a function below it holds a lock.
func TestAWaitingWorkerTakesNothingUnrelated(t *testing.T) {
	_, err := withHelpers(3, func(w *Worker) (int, error) {
		var mu sync.Mutex
		begun, offered, end := make(chan struct{}), make(chan struct{}), make(chan struct{})
		outer := Fork(w, func(mine *Worker, _ int) int {
			mu.Lock()
			defer mu.Unlock()
			_, b := newApart().join(mine, zero, func(third *Worker) int {
				close(begun) // both helpers are busy
				<-offered    // now there is something unrelated to take
				for third.current.state.Load() != awaited {
					runtime.Gosched() // the lock's holder has searched, and sleeps
				}
				close(end)
				return 1
			})
			return b
		}, 0)
		<-begun
		unrelated := Fork(w, func(*Worker, int) int { mu.Lock(); defer mu.Unlock(); return 2 }, 0)
		close(offered)
		<-end
		assert.Equal(t, 2, unrelated.Join(w))
		assert.Equal(t, 1, outer.Join(w))
		return 0, nil
	})
	require.NoError(t, err)
}

func TestForksMayBeJoinedInAnyOrder(t *testing.T) {
	for _, degree := range []int{1, 2, 4} {
		_, err := withHelpers(degree, func(w *Worker) (int, error) {
			var f [9]Forked[int, int]
			for i := range f {
				f[i] = Fork(w, func(w *Worker, n int) int { return fib(w, n) }, i)
			}
			for _, i := range []int{4, 0, 8, 7, 1, 2, 3, 6, 5} {
				assert.Equal(t, fibPlain(i), f[i].Join(w))
			}
			assert.Zero(t, w.top)
			return 0, nil
		})
		require.NoError(t, err)
	}
}

func TestAForkThatIsNotJoinedRunsBeforeTheCallEnds(t *testing.T) {
	var ran atomic.Int32
	count := func(*Worker, int) int { ran.Add(1); return 0 }
	for _, degree := range []int{1, 4} {
		ran.Store(0)
		_, err := withHelpers(degree, func(w *Worker) (int, error) {
			Join(w, func(w *Worker, n int) int {
				for range n {
					Fork(w, count, 0)
				}
				return 0
			}, 10, 20)
			assert.EqualValues(t, 30, ran.Load(), "before Join returns")
			for range 5 {
				Fork(w, count, 0)
			}
			return 0, nil
		})
		require.NoError(t, err)
		assert.EqualValues(t, 35, ran.Load(), "before Run returns")
	}
}

func TestAHandleIsGoodForOneJoinOnItsOwnWorker(t *testing.T) {
	one := func(*Worker, int) int { return 1 }
	misuse := map[string]func(w *Worker){
		"twice": func(w *Worker) { f := Fork(w, one, 0); f.Join(w); f.Join(w) },
		"twice, and taken": func(w *Worker) {
			begun := make(chan struct{})
			f := Fork(w, func(*Worker, int) int { close(begun); return 1 }, 0)
			<-begun // on another goroutine
			f.Join(w)
			Fork(w, one, 0)
			f.Join(w)
		},
		"zero":            func(w *Worker) { new(Forked[int, int]).Join(w) },
		"slot used again": func(w *Worker) { f := Fork(w, one, 0); f.Join(w); Fork(w, one, 0); f.Join(w) },
		"joined by a call": func(w *Worker) {
			var f Forked[int, int]
			fork := func(w *Worker, kept *Forked[int, int]) int { *kept = Fork(w, one, 0); return 0 }
			Join(w, fork, &f, new(Forked[int, int]))
			f.Join(w)
		},
		"another worker": func(w *Worker) {
			_, err := Run(w.Context(), func(other *Worker) (int, error) { f := Fork(w, one, 0); return f.Join(other), nil })
			panic(err)
		},
	}
	for name, use := range misuse {
		_, err := withHelpers(2, func(w *Worker) (int, error) { use(w); return 0, nil })
		assert.ErrorContains(t, err, "parallel: Join of a fork that was joined before, or belongs to another Worker", name)
	}
}

func TestAWorkerPanicsAfterItsRun(t *testing.T) {
	var kept *Worker
	_, err := withHelpers(2, func(w *Worker) (int, error) { kept = w; return fib(w, 5), nil })
	require.NoError(t, err)
	assert.PanicsWithValue(t, "parallel: a Worker was used after its Run has returned", func() { fib(kept, 5) })
}

func TestTheContextOfAWorkerSaysWhereItIs(t *testing.T) {
	type key struct{}
	w1 := worker{each{}}
	ctx := context.WithValue(schedulers.With(context.Background(), each{}), contract.WorkerKey, w1)
	ctx = context.WithValue(ctx, key{}, "value")
	var kept context.Context
	_, err := Run(ctx, func(w *Worker) (int, error) {
		kept = w.Context()
		assert.Equal(t, w1, schedulers.WorkerFrom(w.Context()))
		assert.Equal(t, each{}, schedulers.FromContext(w.Context()))
		newApart().join(w,
			func(w *Worker) int { assert.Equal(t, w1, schedulers.WorkerFrom(w.Context())); return 0 },
			func(w *Worker) int {
				assert.Nil(t, schedulers.WorkerFrom(w.Context()), "the worker of the helper, of which there is none here")
				assert.Equal(t, "value", w.Context().Value(key{}))
				return 0
			})
		assert.NoError(t, w.Err())
		w.Cancel(errBody)
		assert.Equal(t, context.Canceled, w.Err())
		assert.Equal(t, errBody, context.Cause(w.Context()))
		<-w.Context().Done()
		return 3, nil
	}, Degree(2))
	require.NoError(t, err, "what the body returns is what counts")
	assert.Error(t, kept.Err())
}

func TestRunWithBadInput(t *testing.T) {
	body := func(*Worker) (int, error) { panic("must not run") }
	_, err := Run[int](context.Background(), nil)
	assert.ErrorIs(t, err, ErrNilFunc)
	_, err = Run(context.Background(), body, Degree(-3))
	assert.ErrorIs(t, err, ErrOption)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Run(ctx, body)
	assert.ErrorIs(t, err, context.Canceled)
	n, err := Run(context.Background(), func(*Worker) (int, error) { return 3, errBody })
	assert.Equal(t, 3, n, "value and error are kept")
	assert.Equal(t, errBody, err)
	_, err = Run(context.Background(), func(w *Worker) (int, error) { Join[int, int](w, nil, 1, 2); return 0, nil })
	var p *job.PanicError
	assert.ErrorAs(t, err, &p)
}

func TestRunInsideOfTheOnlyWorkerInLoopsAndRuns(t *testing.T) {
	inWorker(t, func(ctx context.Context) {
		var sum atomic.Int64
		err := For(ctx, 0, 8, func(ctx context.Context, i int) error {
			n, err := Run(ctx, func(w *Worker) (int, error) {
				a, b := Join2(w,
					func(w *Worker) int { return fib(w, 10) },
					func(w *Worker) int {
						n, err := Run(w.Context(), func(w *Worker) (int, error) { return fib(w, 10), nil }, Degree(4))
						assert.NoError(t, err)
						return n
					})
				return a + b, nil
			}, Degree(4))
			sum.Add(int64(n))
			return err
		}, Degree(4))
		assert.NoError(t, err)
		assert.EqualValues(t, 8*110, sum.Load())
	})
}

func TestForkingAllocatesNothing(t *testing.T) {
	for _, degree := range []int{1, 2} {
		t.Run(fmt.Sprint(degree), func(t *testing.T) {
			_, err := withHelpers(degree, func(w *Worker) (int, error) {
				sky(w, skyArg{0, 100})
				fib(w, 12)
				least := math.Inf(1) // the minimum excludes allocations of other goroutines
				for range 10 {
					least = min(least, testing.AllocsPerRun(1, func() {
						fib(w, 12)             // 232 forks
						fibFork(w, 12)         // 232 forks
						sky(w, skyArg{0, 100}) // 110 forks
					}))
				}
				// Two members may each make a stack, and a helper that returns costs a
				// goroutine.
				assert.LessOrEqual(t, least, float64(100*(degree-1)))
				return 0, nil
			})
			require.NoError(t, err)
		})
	}
}
