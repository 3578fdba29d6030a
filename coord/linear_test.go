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
)

// A history is linearizable if its calls have an order with two properties: a call that
// ended before another began comes first, and a sequential program would have answered
// the same. The search is that of Wing and Gong: try as the first each call that began
// before any had ended, and continue with the rest; positions that were tried before
// are not tried again (Lowe).
//
// A call that gave up has done nothing, so it is left out. That it has done
// nothing follows if all the others are in order without it.

// call is one call of a history.
type call struct {
	op         string
	arg        int
	ok         bool // what it answered
	got        int
	begin, end int64
}

// step answers c in the given state as a sequential program would: it returns the next
// state, or false if such a program could not have given c's answer.
type step func(state []int, c call) ([]int, bool)

// linearizable reports whether the history has an order that ends in an accepted state.
func linearizable(calls []call, state []int, do step, accept func([]int) bool) bool {
	tried := map[string]bool{}
	var search func(left []call, state []int) bool
	search = func(left []call, state []int) bool {
		if len(left) == 0 {
			return accept(state)
		}
		position := fmt.Sprint(state, left)
		if tried[position] {
			return false
		}
		tried[position] = true
		ended := slices.MinFunc(left, func(a, b call) int { return int(a.end - b.end) }).end
		for i, c := range left {
			if c.begin > ended {
				continue
			}
			if next, ok := do(state, c); ok && search(slices.Delete(slices.Clone(left), i, i+1), next) {
				return true
			}
		}
		return false
	}
	return search(calls, state)
}

// recorder records the calls of several goroutines.
type recorder struct {
	clock atomic.Int64
	mu    sync.Mutex
	calls []call
}

// note records the call of do. An error says that the call gave up, unless it is an
// answer.
func (r *recorder) note(op string, arg int, do func() (int, error)) error {
	c := call{op: op, arg: arg, begin: r.clock.Add(1)}
	got, err := do()
	c.end = r.clock.Add(1)
	c.got, c.ok = got, err == nil
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, c)
	return err
}

// history is a primitive used by several goroutines, and their calls.
type history struct {
	// worker makes a function that one goroutine runs again and again.
	worker func(random *rand.Rand) func(ctx context.Context)
	// explained reports whether an order explains the answers.
	explained func() bool
}

// onHistories makes histories of a few goroutines that make a few calls each, and
// requires that each is linearizable. In a bubble, a second passes when no
// goroutine can continue: then the waiters give up.
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
					require.True(t, h.explained(), "no order explains %+v", r.calls)
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
				return linearizable(r.calls, []int{size}, semaphoreStep, func(state []int) bool { return state[0] == free })
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

// semaphoreStep is a semaphore whose state is the number of free permits. A try may
// fail although enough are free: a waiter may be asking for more.
func semaphoreStep(state []int, c call) ([]int, bool) {
	free := state[0]
	switch {
	case c.op == "release":
		return []int{free + c.arg}, true
	case c.ok:
		return []int{free - c.arg}, c.arg <= free
	}
	return state, c.op == "try"
}

func TestAMutexIsLinearizable(t *testing.T) {
	onHistories(t, func(r *recorder) history {
		m := new(Mutex)
		return history{
			worker: func(random *rand.Rand) func(context.Context) { return mutexWorker(r, m, random) },
			explained: func() bool {
				return linearizable(r.calls, []int{0}, mutexStep, func(state []int) bool { return (state[0] == 1) == m.locked })
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

// mutexStep is a mutex whose state is 1 if it is locked. Unlike a semaphore's, its try
// fails for one reason only.
func mutexStep(state []int, c call) ([]int, bool) {
	locked := state[0] == 1
	switch {
	case c.op == "unlock":
		return []int{0}, locked
	case c.ok:
		return []int{1}, !locked
	}
	return state, c.op == "try" && locked
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
							return linearizable(r.calls, nil, channelStep(capacity, full), func(state []int) bool {
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

// channelStep is a channel whose state is what it holds.
func channelStep(capacity int, mode FullMode) step {
	return func(held []int, c call) ([]int, bool) {
		room := len(held) < capacity
		switch {
		case (c.op == "receive" || c.op == "try receive") && c.ok:
			return held[min(1, len(held)):], len(held) > 0 && held[0] == c.got
		case c.op == "try receive":
			return held, len(held) == 0
		case c.ok && room:
			return append(slices.Clone(held), c.arg), true
		case c.ok:
			return map[FullMode][]int{
				DropNewest: held,
				DropOldest: append(slices.Clone(held[1:]), c.arg),
			}[mode], mode == DropNewest || mode == DropOldest
		}
		return held, !room && (mode == Reject || c.op == "try send" && mode == WaitForRoom)
	}
}

func TestAHistoryThatNoOrderExplainsIsFound(t *testing.T) {
	anyEnd := func([]int) bool { return true }
	send := func(v int, begin, end int64) call { return call{"send", v, true, 0, begin, end} }
	receive := func(v int, begin, end int64) call { return call{"receive", 0, true, v, begin, end} }
	do := channelStep(2, WaitForRoom)
	for name, c := range map[string]struct {
		calls []call
		want  bool
	}{
		"in order":                 {[]call{send(1, 1, 2), send(2, 3, 4), receive(1, 5, 6), receive(2, 7, 8)}, true},
		"out of order":             {[]call{send(1, 1, 2), send(2, 3, 4), receive(2, 5, 6), receive(1, 7, 8)}, false},
		"sends overlap":            {[]call{send(1, 1, 4), send(2, 2, 3), receive(2, 5, 6), receive(1, 7, 8)}, true},
		"received before sent":     {[]call{receive(1, 1, 2), send(1, 3, 4)}, false},
		"received while sent":      {[]call{receive(1, 1, 3), send(1, 2, 4)}, true},
		"received twice":           {[]call{send(1, 1, 2), receive(1, 3, 4), receive(1, 5, 6)}, false},
		"more than there is room":  {[]call{send(1, 1, 2), send(2, 3, 4), send(3, 5, 6)}, false},
		"full though there is one": {[]call{{"try send", 1, false, 0, 1, 2}}, false},
		"empty though there is":    {[]call{send(1, 1, 2), {"try receive", 0, false, 0, 3, 4}}, false},
	} {
		assert.Equal(t, c.want, linearizable(c.calls, nil, do, anyEnd), name)
	}
	locks := []call{{"lock", 0, true, 0, 1, 2}, {"lock", 0, true, 0, 3, 4}}
	assert.False(t, linearizable(locks, []int{0}, mutexStep, anyEnd))
	permits := []call{{"acquire", 2, true, 0, 1, 4}, {"acquire", 2, true, 0, 2, 3}}
	assert.False(t, linearizable(permits, []int{3}, semaphoreStep, anyEnd))
}
