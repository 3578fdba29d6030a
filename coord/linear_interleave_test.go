//go:build interleave

package coord

import (
	"context"
	"errors"
	"testing"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/job"
)

// The histories of these programs must have an explanation in each order of their steps;
// the beginning and the end of a call are steps too. The models are those for the
// histories of real goroutines, in linear_test.go.

var errNotExplained = errors.New("no order explains the answers")

// later records the answer of a call when its job ends, and then calls then.
func later[T any](r *recorder, op string, arg int, start func() *job.Job[T], got func(T) int, then func()) {
	c := r.Begin(op, arg)
	j := start()
	onEnd(j, func() {
		v, err := j.GetResult()
		c.End(got(v), err == nil)
		then()
	})
}

// onEnd calls then on a goroutine of the program when the job has ended.
func onEnd[T any](j *job.Job[T], then func()) {
	c := &calling{then: func() { interleave.Go(then) }}
	c.node.Prepare(c)
	if !j.Register(&c.node) {
		then()
	}
}

func noValue(job.Void) int { return 0 }

func TestInterleavingsOfAChannelAreLinearizable(t *testing.T) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		r, c := new(recorder), NewBounded[int](1, WaitForRoom)
		s.Go("sender", func() {
			later(r, "send", 1, func() *job.Job[job.Void] { return c.SendAsync(endless, 1) }, noValue, func() {})
			_ = r.note("try send", 2, func() (int, error) { return 0, c.TrySend(2) })
		})
		s.Go("receiver", func() {
			later(r, "receive", 0, func() *job.Job[int] { return c.ReceiveAsync(endless) }, func(v int) int { return v }, func() {})
		})
		s.Go("taker", func() { _ = r.note("try receive", 0, c.TryReceive) })
		return func() error {
			if !r.Linearizable(nil, channelStep(1, WaitForRoom), func(state []int) bool { return len(state) == c.Len() }) {
				return errNotExplained
			}
			return nil
		}
	})
}

func TestInterleavingsOfAMutexAreLinearizable(t *testing.T) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		r, m := new(recorder), new(Mutex)
		unlock := func() { _ = r.note("unlock", 0, func() (int, error) { m.Unlock(); return 0, nil }) }
		for _, name := range []string{"locker", "other locker"} {
			s.Go(name, func() {
				later(r, "lock", 0, func() *job.Job[job.Void] { return m.LockAsync(endless) }, noValue, unlock)
			})
		}
		s.Go("trier", func() {
			if r.note("try", 0, func() (int, error) {
				if !m.TryLock() {
					return 0, ErrFull
				}
				return 0, nil
			}) == nil {
				unlock()
			}
		})
		return func() error {
			if m.locked || !r.Linearizable([]int{0}, mutexStep, func(state []int) bool { return state[0] == 0 }) {
				return errNotExplained
			}
			return nil
		}
	})
}

func TestInterleavingsOfASemaphoreAreLinearizable(t *testing.T) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		r, sem := new(recorder), NewSemaphore(2)
		ctx := newGiving()
		release := func(n int) func() {
			return func() { _ = r.note("release", n, func() (int, error) { sem.Release(int64(n)); return 0, nil }) }
		}
		acquire := func(name string, ctx context.Context, n int) {
			s.Go(name, func() {
				c := r.Begin("acquire", n)
				j := sem.AcquireAsync(ctx, int64(n))
				onEnd(j, func() {
					if j.Status() == job.Completed {
						c.End(0, true)
						release(n)()
					}
				})
			})
		}
		acquire("heavy", ctx, 2)
		acquire("light", endless, 1)
		s.Go("ender", ctx.end)
		return func() error {
			if sem.Free() != 2 || !r.Linearizable([]int{2}, semaphoreStep, func(state []int) bool { return state[0] == 2 }) {
				return errNotExplained
			}
			return nil
		}
	})
}
