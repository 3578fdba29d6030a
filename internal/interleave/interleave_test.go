//go:build interleave

package interleave

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var errLost = errors.New("an update is lost")

func lostUpdate(s *Schedule) func() error {
	var x Int32
	for _, name := range []string{"one", "two"} {
		s.Go(name, func() { x.Store(x.Load() + 1) })
	}
	return func() error {
		if x.Load() != 2 {
			return errLost
		}
		return nil
	}
}

func TestALostUpdateIsFoundAndShownWithOnePreemption(t *testing.T) {
	r := Search(lostUpdate, 100)
	require.Contains(t, r.Failure, errLost.Error())
	assert.Contains(t, r.Failure, "interleave_test.go:")
	t.Log(r.Failure)
}

func TestADeadlockIsFound(t *testing.T) {
	r := Search(func(s *Schedule) func() error {
		var a, b Mutex
		s.Go("ab", func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
		s.Go("ba", func() { b.Lock(); a.Lock(); a.Unlock(); b.Unlock() })
		return func() error { return nil }
	}, 100)
	require.Contains(t, r.Failure, "no goroutine can continue")
}

func TestAPanicIsFound(t *testing.T) {
	r := Search(func(s *Schedule) func() error {
		var x Int32
		s.Go("one", func() { x.Store(1) })
		s.Go("two", func() {
			if x.Load() == 1 {
				panic("seen")
			}
		})
		return func() error { return nil }
	}, 100)
	require.Contains(t, r.Failure, "two panicked: seen")
}

func TestASpinThatNothingEndsIsFound(t *testing.T) {
	r := Search(func(s *Schedule) func() error {
		var x Int32
		s.Go("one", func() {
			for x.Load() == 0 {
				Spin()
			}
		})
		return func() error { return nil }
	}, 100)
	require.Contains(t, r.Failure, "no goroutine can continue")
}

func TestATimerFiresAtAnyMomentUntilItIsStopped(t *testing.T) {
	outcomes := map[string]int{}
	r := Search(func(s *Schedule) func() error {
		var fired Int32
		var was bool
		timer := AfterFunc(0, func() { fired.Add(1) })
		s.Go("stopper", func() {
			if was = timer.Stop(); !was {
				timer.Reset(0)
			}
		})
		return func() error { outcomes[fmt.Sprint(was, fired.Load())]++; return nil }
	}, 1000)
	require.Empty(t, r.Failure)
	assert.True(t, r.Complete)
	assert.Len(t, outcomes, 2, "%v", outcomes)
	assert.Contains(t, outcomes, "true 0")
	assert.Contains(t, outcomes, "false 2")
}

func TestGoroutinesOfGoroutinesAndUnlocks(t *testing.T) {
	r := Search(func(s *Schedule) func() error {
		var m Mutex
		n := 0
		s.Go("parent", func() {
			for range 3 {
				Go(func() { m.Lock(); n++; m.Unlock() })
			}
		})
		return func() error {
			if n != 3 {
				return errLost
			}
			return nil
		}
	}, 1000)
	require.Empty(t, r.Failure)
	assert.True(t, r.Complete)
	assert.Equal(t, 6, r.Schedules, "the orders of three critical sections")
}

// randomProgram makes a small program from a seed: threads that load, store, add and
// compare-and-swap a few variables, lock a few mutexes, and wait in Spin. Each records the
// values that it has read. It cannot deadlock: a lock is released before the next is taken.
func randomProgram(seed uint64, outcome *string) Program {
	return func(s *Schedule) func() error {
		random := rand.New(rand.NewPCG(seed, 1))
		vars := make([]Int32, 2)
		mutexes := make([]Mutex, 2)
		threads := 2 + random.IntN(2)
		got := make([][]int32, threads)
		plain := make([]int32, len(mutexes))
		for i := range threads {
			var do []func()
			for range 1 + random.IntN(7-2*threads+1) {
				x, m, v := &vars[random.IntN(2)], random.IntN(2), int32(1+random.IntN(3))
				keep := func(n int32) { got[i] = append(got[i], n) }
				do = append(do, []func(){
					func() { keep(x.Load()) },
					func() { x.Store(v) },
					func() { keep(x.Add(v)) },
					func() { keep(x.Swap(v)) },
					func() {
						if x.CompareAndSwap(0, v) {
							keep(v)
						}
					},
					func() {
						mutexes[m].Lock()
						plain[m]++
						keep(plain[m] * 100)
						mutexes[m].Unlock()
					},
					func() {
						if mutexes[m].TryLock() {
							plain[m]++
							keep(plain[m] * 100)
							mutexes[m].Unlock()
						}
					},
				}[random.IntN(7)])
			}
			if i == 0 && random.IntN(2) == 0 {
				do = append(do, func() {
					for vars[1].Load() == 0 && vars[0].Load() == 0 {
						Spin()
					}
				})
			}
			if i == 1 {
				do = append(do, func() { vars[random.IntN(1)].Store(9) })
			}
			s.Go(fmt.Sprint("thread ", i), func() {
				for _, f := range do {
					f()
				}
			})
		}
		return func() error {
			*outcome = fmt.Sprint(got, plain, vars[0].Load(), vars[1].Load())
			return nil
		}
	}
}

// The reduced search finds the same outcomes as a search without reduction.
func TestTheReductionLosesNoOutcome(t *testing.T) {
	all, few, programs := 0, 0, 0
	for seed := range uint64(400) {
		outcomes := func(by strategy) (found []string, schedules int, whole bool) {
			var outcome string
			program := randomProgram(seed, &outcome)
			seen := map[string]bool{}
			for more := true; more; more = by.next() {
				s := run(program, by, false)
				require.Empty(t, s.failure, "seed %d", seed)
				if seen[outcome] = true; schedules > 30_000 {
					return nil, schedules, false
				}
				schedules++
			}
			for o := range seen {
				found = append(found, o)
			}
			slices.Sort(found)
			return found, schedules, true
		}
		want, n, whole := outcomes(&boundedSearch{bound: -1})
		if !whole {
			continue
		}
		got, m, _ := outcomes(&reduction{})
		require.Equal(t, want, got, "seed %d", seed)
		all, few, programs = all+n, few+m, programs+1
	}
	t.Logf("%d programs: %d schedules, %d with reduction", programs, all, few)
	assert.Greater(t, programs, 200)
	assert.Less(t, few*5, all)
}
