package coord

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/linear"
)

// The calls of a history, and the search for its explanation, are those of package linear.

// recorder records the calls of several goroutines.
type recorder struct{ linear.History }

// note records the call of do. An error means that the call gave up, unless it is an answer.
func (r *recorder) note(op string, arg int, do func() (int, error)) error {
	c := r.Begin(op, arg)
	got, err := do()
	if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		c.End(got, err == nil)
	}
	return err
}

// history is a primitive used by several goroutines, and their calls.
type history struct {
	// worker makes a function that one goroutine runs again and again.
	worker func(random *rand.Rand) func(ctx context.Context)
	// explained reports whether some order of the calls explains the answers.
	explained func() bool
}

// onHistories makes histories of a few goroutines with a few calls each, and requires
// that each history is linearizable. In a bubble, a second passes when no goroutine can
// continue: then the waiters give up.
func onHistories(t *testing.T, made func(r *recorder) history) {
	t.Helper()
	const histories, goroutines, calls = 60, 4, 4
	for _, procs := range manyProcs {
		t.Run(procs.String(), func(t *testing.T) {
			procs.use(t)
			for seed := range uint64(histories) {
				synctest.Test(t, func(t *testing.T) {
					r := new(recorder)
					h := made(r)
					var all sync.WaitGroup
					for i := range uint64(goroutines) {
						do := h.worker(rand.New(rand.NewPCG(seed, i)))
						all.Go(func() {
							for range calls {
								ctx, cancel := context.WithTimeout(endless, time.Second)
								do(ctx)
								cancel()
							}
						})
					}
					all.Wait()
					require.True(t, h.explained(), "no order explains %+v", r.Calls())
				})
			}
		})
	}
}

func TestASemaphoreIsLinearizable(t *testing.T) {
	const size = 3
	onHistories(t, func(r *recorder) history {
		s := NewSemaphore(size)
		return history{
			worker: func(random *rand.Rand) func(context.Context) { return semaphoreWorker(r, s, random) },
			explained: func() bool {
				free := int(s.Free())
				return r.Linearizable([]int{size}, semaphoreStep, func(state []int) bool { return state[0] == free })
			},
		}
	})
}

func semaphoreWorker(r *recorder, s *Semaphore, random *rand.Rand) func(context.Context) {
	held := 0
	return func(ctx context.Context) {
		n := 1 + random.IntN(2)
		dice := random.IntN(4)
		if held > 0 && dice < 2 {
			_ = r.note("release", held, func() (int, error) { s.Release(int64(held)); return 0, nil })
			held = 0
			return
		}
		var err error
		switch dice {
		case 0:
			err = r.note("try", n, func() (int, error) {
				if !s.TryAcquire(int64(n)) {
					return 0, ErrFull
				}
				return 0, nil
			})
		case 1:
			err = r.note("acquire", n, func() (int, error) { return 0, s.Acquire(ctx, int64(n)) })
		default:
			err = r.note("acquire", n, func() (int, error) {
				_, err := s.AcquireAsync(ctx, int64(n)).Wait(endless)
				return 0, err
			})
		}
		if err == nil {
			held += n
		}
	}
}

// semaphoreStep models a semaphore whose state is the number of free permits. A try may
// fail although enough are free, since a waiter may need more.
func semaphoreStep(state []int, c linear.Call) ([]int, bool) {
	free := state[0]
	switch {
	case c.Op == "release":
		return []int{free + c.Arg}, true
	case c.OK:
		return []int{free - c.Arg}, c.Arg <= free
	}
	return state, c.Op == "try"
}

func TestAMutexIsLinearizable(t *testing.T) {
	onHistories(t, func(r *recorder) history {
		m := new(Mutex)
		return history{
			worker: func(random *rand.Rand) func(context.Context) { return mutexWorker(r, m, random) },
			explained: func() bool {
				return r.Linearizable([]int{0}, mutexStep, func(state []int) bool { return (state[0] == 1) == m.locked })
			},
		}
	})
}

func mutexWorker(r *recorder, m *Mutex, random *rand.Rand) func(context.Context) {
	held := false
	return func(ctx context.Context) {
		if held && random.IntN(4) > 0 {
			_ = r.note("unlock", 0, func() (int, error) { m.Unlock(); return 0, nil })
			held = false
			return
		}
		var err error
		switch random.IntN(3) {
		case 0:
			err = r.note("try", 0, func() (int, error) {
				if !m.TryLock() {
					return 0, ErrFull
				}
				return 0, nil
			})
		case 1:
			err = r.note("lock", 0, func() (int, error) { return 0, m.Lock(ctx) })
		default:
			err = r.note("lock", 0, func() (int, error) {
				_, err := m.LockAsync(ctx).Wait(endless)
				return 0, err
			})
		}
		held = held || err == nil
	}
}

// mutexStep models a mutex whose state is 1 if it is locked. Unlike a semaphore's, its
// try fails for one reason only.
func mutexStep(state []int, c linear.Call) ([]int, bool) {
	locked := state[0] == 1
	switch {
	case c.Op == "unlock":
		return []int{0}, locked
	case c.OK:
		return []int{1}, !locked
	}
	return state, c.Op == "try" && locked
}

func TestABoundedChannelIsLinearizable(t *testing.T) {
	for _, full := range []FullMode{WaitForRoom, DropNewest, DropOldest, Reject} {
		for _, capacity := range []int{1, 2} {
			t.Run(fmt.Sprint(full, capacity), func(t *testing.T) {
				onHistories(t, func(r *recorder) history {
					c := NewBounded[int](capacity, full)
					return history{
						worker: func(random *rand.Rand) func(context.Context) { return channelWorker(r, c, random) },
						explained: func() bool {
							return r.Linearizable(nil, channelStep(capacity, full), func(state []int) bool {
								return len(state) == c.Len()
							})
						},
					}
				})
			})
		}
	}
}

var elements atomic.Int64 // each element is different

func channelWorker(r *recorder, c *Channel[int], random *rand.Rand) func(context.Context) {
	return func(ctx context.Context) {
		v := int(elements.Add(1))
		_ = [](func() error){
			func() error { return r.note("send", v, func() (int, error) { return 0, c.Send(ctx, v) }) },
			func() error {
				return r.note("send", v, func() (int, error) {
					_, err := c.SendAsync(ctx, v).Wait(endless)
					return 0, err
				})
			},
			func() error { return r.note("try send", v, func() (int, error) { return 0, c.TrySend(v) }) },
			func() error { return r.note("receive", 0, func() (int, error) { return c.Receive(ctx) }) },
			func() error {
				return r.note("receive", 0, func() (int, error) { return c.ReceiveAsync(ctx).Wait(endless) })
			},
			func() error { return r.note("try receive", 0, c.TryReceive) },
		}[random.IntN(6)]()
	}
}

// channelStep models a channel whose state is the elements that it holds.
func channelStep(capacity int, mode FullMode) linear.Model {
	return func(held []int, c linear.Call) ([]int, bool) {
		room := len(held) < capacity
		switch {
		case (c.Op == "receive" || c.Op == "try receive") && c.OK:
			return held[min(1, len(held)):], len(held) > 0 && held[0] == c.Got
		case c.Op == "try receive":
			return held, len(held) == 0
		case c.OK && room:
			return append(slices.Clone(held), c.Arg), true
		case c.OK:
			return map[FullMode][]int{
				DropNewest: held,
				DropOldest: append(slices.Clone(held[1:]), c.Arg),
			}[mode], mode == DropNewest || mode == DropOldest
		}
		return held, !room && (mode == Reject || c.Op == "try send" && mode == WaitForRoom)
	}
}

func TestAHistoryThatNoOrderExplainsIsFound(t *testing.T) {
	anyEnd := func([]int) bool { return true }
	send := func(v int, begin, end int64) linear.Call {
		return linear.Call{Op: "send", Arg: v, OK: true}.At(begin, end)
	}
	receive := func(v int, begin, end int64) linear.Call {
		return linear.Call{Op: "receive", OK: true, Got: v}.At(begin, end)
	}
	do := channelStep(2, WaitForRoom)
	for name, c := range map[string]struct {
		calls []linear.Call
		want  bool
	}{
		"in order":                 {[]linear.Call{send(1, 1, 2), send(2, 3, 4), receive(1, 5, 6), receive(2, 7, 8)}, true},
		"out of order":             {[]linear.Call{send(1, 1, 2), send(2, 3, 4), receive(2, 5, 6), receive(1, 7, 8)}, false},
		"sends overlap":            {[]linear.Call{send(1, 1, 4), send(2, 2, 3), receive(2, 5, 6), receive(1, 7, 8)}, true},
		"received before sent":     {[]linear.Call{receive(1, 1, 2), send(1, 3, 4)}, false},
		"received while sent":      {[]linear.Call{receive(1, 1, 3), send(1, 2, 4)}, true},
		"received twice":           {[]linear.Call{send(1, 1, 2), receive(1, 3, 4), receive(1, 5, 6)}, false},
		"more than there is room":  {[]linear.Call{send(1, 1, 2), send(2, 3, 4), send(3, 5, 6)}, false},
		"full though there is one": {[]linear.Call{{Op: "try send", Arg: 1}}, false},
		"empty though there is":    {[]linear.Call{send(1, 1, 2), linear.Call{Op: "try receive"}.At(3, 4)}, false},
	} {
		assert.Equal(t, c.want, linear.Linearizable(c.calls, nil, do, anyEnd), name)
	}
	locks := []linear.Call{linear.Call{Op: "lock", OK: true}.At(1, 2), linear.Call{Op: "lock", OK: true}.At(3, 4)}
	assert.False(t, linear.Linearizable(locks, []int{0}, mutexStep, anyEnd))
	permits := []linear.Call{linear.Call{Op: "acquire", Arg: 2, OK: true}.At(1, 4), linear.Call{Op: "acquire", Arg: 2, OK: true}.At(2, 3)}
	assert.False(t, linear.Linearizable(permits, []int{3}, semaphoreStep, anyEnd))
}
