package parallel

import (
	"runtime"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
)

// The places where a failing function may run: a join must hide them.
var places = map[string]func(w *Worker, first, second func(w *Worker) int) (int, int){
	"here":      func(w *Worker, a, b func(w *Worker) int) (int, int) { return Join2(w, a, b) },
	"elsewhere": func(w *Worker, a, b func(w *Worker) int) (int, int) { return newApart().join(w, a, b) },
}

func zero(*Worker) int { return 0 }

func crash(*Worker) int { panic(errBody) }

func TestAPanicComesThroughAJoinAsItself(t *testing.T) {
	for place, join := range places {
		for which, fs := range map[string][2]func(*Worker) int{"first": {crash, zero}, "second": {zero, crash}, "both": {crash, crash}} {
			t.Run(which+" "+place, func(t *testing.T) {
				n, err := withHelpers(2, func(w *Worker) (n int, err error) {
					defer func() {
						assert.Equal(t, errBody, recover(), "the value, not a wrapping of it")
						assert.Zero(t, w.top, "nothing is left of the join")
						n = fib(w, 10)
					}()
					join(w, fs[0], fs[1])
					return 0, nil
				})
				require.NoError(t, err)
				assert.Equal(t, 55, n, "the worker is as good as before")
			})
		}
	}
}

func TestAnUnrecoveredPanicIsTheErrorWithItsOwnStack(t *testing.T) {
	for place, join := range places {
		t.Run(place, func(t *testing.T) {
			n, err := withHelpers(2, func(w *Worker) (int, error) {
				join(w, zero, func(w *Worker) int {
					_, b := join(w, zero, crash) // through two joins
					return b
				})
				return 1, nil
			})
			var p *job.PanicError
			require.ErrorAs(t, err, &p)
			assert.Equal(t, errBody, p.Value)
			assert.ErrorIs(t, err, errBody)
			assert.Contains(t, string(p.Stack), "parallel.crash(")
			assert.Zero(t, n)
		})
	}
}

func TestAPanicWithAValueThatCanNotBeCompared(t *testing.T) {
	value := []int{1}
	for place, join := range places {
		_, err := withHelpers(2, func(w *Worker) (int, error) {
			join(w, zero, func(*Worker) int { panic(value) })
			return 0, nil
		})
		var p *job.PanicError
		require.ErrorAs(t, err, &p, place)
		assert.Equal(t, value, p.Value)
	}
}

// If a deferred function recovers a panic and panics with another value, that is a new panic.
func TestAnotherPanicOfOneTypeIsNotTheFirst(t *testing.T) {
	for place, join := range places {
		_, err := withHelpers(2, func(w *Worker) (int, error) {
			defer instead()
			join(w, zero, func(*Worker) int { panic([]int{1}) })
			return 0, nil
		})
		var p *job.PanicError
		require.ErrorAs(t, err, &p, place)
		assert.Equal(t, []int{2}, p.Value)
		assert.Contains(t, string(p.Stack), "parallel.instead(")
	}
}

// instead recovers a panic and panics with another value.
func instead() {
	_ = recover()
	panic([]int{2})
}

func TestAPanicOfTheFirstLeavesASecondThatHasNotBegunOut(t *testing.T) {
	_, err := withHelpers(1, func(w *Worker) (int, error) {
		Join2(w, crash, func(*Worker) int { t.Error("must not run"); return 0 })
		return 0, nil
	})
	require.ErrorIs(t, err, errBody)
}

func TestAPanicOfTheFirstWaitsForASecondThatHas(t *testing.T) {
	for _, end := range map[string]func(){"returns": func() {}, "panics": func() { panic("second") }, "exits": runtime.Goexit} {
		var ended atomic.Bool
		_, err := withHelpers(2, func(w *Worker) (int, error) {
			defer func() {
				assert.Equal(t, errBody, recover())
				assert.True(t, ended.Load())
			}()
			newApart().join(w, crash, func(mine *Worker) int {
				for mine.current.state.Load() != awaited {
					runtime.Gosched()
				}
				ended.Store(true)
				end()
				return 0
			})
			return 0, nil
		})
		require.NoError(t, err)
	}
}

func TestAGoexitComesThroughAJoin(t *testing.T) {
	exit := func(*Worker) int { runtime.Goexit(); return 0 }
	for place, join := range places {
		for which, fs := range map[string][2]func(*Worker) int{"first": {exit, zero}, "second": {zero, exit}} {
			t.Run(which+" "+place, func(t *testing.T) {
				deferred := false
				assert.True(t, exits(func() {
					_, _ = withHelpers(2, func(w *Worker) (int, error) {
						defer func() { deferred = recover() == nil }()
						join(w, fs[0], fs[1])
						t.Error("the join has returned")
						return 0, nil
					})
					t.Error("Run has returned")
				}))
				assert.True(t, deferred)
			})
		}
	}
}

// The exit happens in a fork that a waiting goroutine has taken on top of its own
// functions: all of those are left too, as they would be in plain Go, since the fork
// descends from the fork that they wait for.
func TestAGoexitOfAForkThatAWaitingOwnerTook(t *testing.T) {
	assert.True(t, exits(func() {
		_, _ = withHelpers(2, func(w *Worker) (int, error) {
			newApart().join(w, zero, func(mine *Worker) int {
				newApart().join(mine, zero, func(*Worker) int { runtime.Goexit(); return 0 })
				t.Error("the inner join has returned")
				return 0
			})
			t.Error("the outer join has returned")
			return 0, nil
		})
	}))
}

func TestAPanicOfAForkThatAWaitingOwnerTook(t *testing.T) {
	_, err := withHelpers(2, func(w *Worker) (int, error) {
		newApart().join(w, zero, func(mine *Worker) int {
			defer func() { assert.Equal(t, errBody, recover(), "it surfaces where the inner join is") }()
			newApart().join(mine, zero, crash)
			return 0
		})
		return 0, nil
	})
	require.NoError(t, err)
}

func TestAPanicWhileExitingComesThroughAJoinAndTheExitToo(t *testing.T) {
	exit := func(*Worker) int {
		defer func() { panic(errBody) }()
		runtime.Goexit()
		return 0
	}
	for place, join := range places {
		for which, fs := range map[string][2]func(*Worker) int{"first": {exit, zero}, "second": {zero, exit}} {
			t.Run(which+" "+place, func(t *testing.T) {
				var recovered any
				assert.True(t, exits(func() {
					_, _ = withHelpers(2, func(w *Worker) (int, error) {
						func() {
							defer func() { recovered = recover() }()
							join(w, fs[0], fs[1])
						}()
						t.Error("the function that has recovered has returned")
						return 0, nil
					})
				}))
				assert.Equal(t, errBody, recovered)
			})
		}
	}
}

func TestAPanicWhileExitingIsCounted(t *testing.T) {
	_ = exits(func() {
		_, err := withHelpers(2, func(w *Worker) (int, error) {
			newApart().join(w, zero, func(*Worker) int {
				defer func() { panic(errBody) }()
				runtime.Goexit()
				return 0
			})
			return 0, nil
		})
		assert.ErrorIs(t, err, errBody)
	})
}

func TestAPanicOfAForkThatIsNotJoined(t *testing.T) {
	for _, degree := range []int{1, 2} {
		_, err := withHelpers(degree, func(w *Worker) (int, error) {
			Fork(w, func(*Worker, int) int { panic(errBody) }, 0)
			return 0, nil
		})
		assert.ErrorIs(t, err, errBody)
	}
}

func TestForksAboveAPanicAreDroppedOrAwaited(t *testing.T) {
	for _, degree := range []int{1, 3} {
		var begun, ended atomic.Int32
		_, err := withHelpers(degree, func(w *Worker) (int, error) {
			for range 100 {
				Fork(w, func(*Worker, int) int {
					begun.Add(1)
					defer ended.Add(1)
					runtime.Gosched()
					return 0
				}, 0)
			}
			panic(errBody)
		})
		require.ErrorIs(t, err, errBody)
		assert.Equal(t, begun.Load(), ended.Load(), "nothing runs when Run has returned")
	}
}

func TestAForkKeepsNothingAlive(t *testing.T) {
	_, err := withHelpers(2, func(w *Worker) (int, error) {
		kept := func(use func(big *[1 << 20]byte)) weak.Pointer[[1 << 20]byte] {
			big := new([1 << 20]byte)
			use(big)
			return weak.Make(big)
		}
		size := func(_ *Worker, b *[1 << 20]byte) int { return len(b) }
		same := func(_ *Worker, b *[1 << 20]byte) *[1 << 20]byte { return b }
		pointers := map[string]weak.Pointer[[1 << 20]byte]{
			"Join": kept(func(b *[1 << 20]byte) { Join(w, size, b, b) }),
			"Fork": kept(func(b *[1 << 20]byte) { f := Fork(w, same, b); f.Join(w) }),
			"Join2": kept(func(b *[1 << 20]byte) {
				newApart().join(w, zero, func(*Worker) int { return len(b) })
			}),
			"not joined": kept(func(b *[1 << 20]byte) {
				Join(w, func(w *Worker, b *[1 << 20]byte) int { Fork(w, same, b); return 0 }, b, nil)
			}),
			"panic": kept(func(b *[1 << 20]byte) {
				defer func() { _ = recover() }()
				Join(w, func(*Worker, *[1 << 20]byte) int { panic("first") }, nil, b)
			}),
		}
		for name, p := range pointers {
			// If a helper is preempted, the collector treats its whole frame as
			// pointers, including dead ones.
			for n := 0; p.Value() != nil && n < 100; n++ {
				runtime.GC()
				runtime.Gosched()
			}
			assert.Nil(t, p.Value(), name)
		}
		return 0, nil
	})
	require.NoError(t, err)
}
