package coord

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/movenext/movenext/internal/shrinkmap"
	"github.com/movenext/movenext/job"
)

// subject is one operation that waits, reduced to what all of them share: two forms,
// and a function that lets waiters continue.
type subject struct {
	*testing.T // of the test that it is in

	wait      func(ctx context.Context) error
	waitAsync func(ctx context.Context) job.Handle

	// serve lets the first waiter continue, or all waiters if servesAll is true.
	serve     func()
	servesAll bool

	waiting func() int

	// keepsNothing means that serving without a waiter changes nothing: at a rendezvous
	// one side cannot leave anything for the other.
	keepsNothing bool
}

// subjects are all operations that wait, each made so that it has to. Two are not
// included: the wait of a Cond continues after it was served (see cond_test.go), and a
// Reusable has at most one waiter (reusable_test.go).
var subjects = map[string]func() subject{
	"Mutex.Lock": func() subject {
		m := new(Mutex)
		m.TryLock()
		return subject{
			wait:      m.Lock,
			waitAsync: func(ctx context.Context) job.Handle { return m.LockAsync(ctx) },
			serve:     m.Unlock,
			waiting:   func() int { return m.queue.count },
		}
	},
	"RWMutex.Lock": func() subject {
		m := new(RWMutex)
		m.TryLock()
		return subject{
			wait:      m.Lock,
			waitAsync: func(ctx context.Context) job.Handle { return m.LockAsync(ctx) },
			serve:     m.Unlock,
			waiting:   func() int { return m.queue.count },
		}
	},
	"RWMutex.RLock": func() subject {
		m := new(RWMutex)
		m.TryLock()
		return subject{
			wait:      m.RLock,
			waitAsync: func(ctx context.Context) job.Handle { return m.RLockAsync(ctx) },
			serve:     m.Unlock,
			servesAll: true,
			waiting:   func() int { return m.queue.count },
		}
	},
	"Limiter.Acquire": func() subject {
		l := NewLimiter[string](1)
		l.TryAcquire("k")
		return subject{
			wait:      func(ctx context.Context) error { return l.Acquire(ctx, "k") },
			waitAsync: func(ctx context.Context) job.Handle { return l.AcquireAsync(ctx, "k") },
			serve:     func() { l.Release("k") },
			waiting:   func() int { return l.Metrics().Waiting },
		}
	},
	"KeyedMutex.Lock": func() subject {
		m := new(KeyedMutex[string])
		m.TryLock("k")
		return subject{
			wait:      func(ctx context.Context) error { return m.Lock(ctx, "k") },
			waitAsync: func(ctx context.Context) job.Handle { return m.LockAsync(ctx, "k") },
			serve:     func() { m.Unlock("k") },
			waiting: func() int {
				if q, _ := shrinkmap.Get(&m.locked, "k"); q != nil {
					return q.count
				}
				return 0
			},
		}
	},
	"Semaphore.Acquire": func() subject {
		s := NewSemaphore(2)
		s.TryAcquire(2)
		return subject{
			wait:      func(ctx context.Context) error { return s.Acquire(ctx, 2) },
			waitAsync: func(ctx context.Context) job.Handle { return s.AcquireAsync(ctx, 2) },
			serve:     func() { s.Release(2) },
			waiting:   func() int { return s.queue.count },
		}
	},
	"AutoResetEvent.Wait": func() subject {
		e := new(AutoResetEvent)
		return subject{
			wait:      e.Wait,
			waitAsync: func(ctx context.Context) job.Handle { return e.WaitAsync(ctx) },
			serve:     e.Set,
			waiting:   func() int { return e.queue.count },
		}
	},
	"ManualResetEvent.Wait": func() subject {
		e := new(ManualResetEvent)
		return subject{
			wait:      e.Wait,
			waitAsync: func(ctx context.Context) job.Handle { return e.WaitAsync(ctx) },
			serve:     e.Set,
			servesAll: true,
			waiting:   func() int { return e.queue.count },
		}
	},
	"Countdown.Wait": func() subject {
		c := NewCountdown(1)
		return subject{
			wait:      c.Wait,
			waitAsync: func(ctx context.Context) job.Handle { return c.WaitAsync(ctx) },
			serve:     c.Done,
			servesAll: true,
			waiting:   func() int { return c.queue.count },
		}
	},
	"Barrier.Wait": func() subject {
		b := NewBarrier(1 << 30)
		return subject{
			wait: func(ctx context.Context) error {
				_, err := b.Wait(ctx)
				return err
			},
			waitAsync: func(ctx context.Context) job.Handle { return b.WaitAsync(ctx) },
			serve: func() {
				b.mu.Lock()
				missing := b.parties - b.arrived.count
				b.mu.Unlock()
				b.Add(-missing)
			},
			servesAll: true,
			waiting:   func() int { return b.arrived.count },
		}
	},
	"Channel.Receive":           func() subject { return receiver(NewBounded[int](1, WaitForRoom)) },
	"Channel.Receive/unbounded": func() subject { return receiver(NewUnbounded[int]()) },
	"Channel.Receive/priority":  func() subject { return receiver(NewPriority(func(v int) int64 { return int64(v) })) },
	"Channel.Receive/meet":      func() subject { return receiver(NewRendezvous[int]()) },
	"Channel.Send": func() subject {
		c := NewBounded[int](1, WaitForRoom)
		_ = c.TrySend(0)
		return sender(c)
	},
	"Channel.Send/meet": func() subject { return sender(NewRendezvous[int]()) },
	"Broadcast.Send": func() subject {
		b := NewBroadcast[int](1, WaitForRoom)
		s := b.Subscribe()
		_ = b.TrySend(0)
		return subject{
			wait:      func(ctx context.Context) error { return b.Send(ctx, 1) },
			waitAsync: func(ctx context.Context) job.Handle { return b.SendAsync(ctx, 1) },
			serve:     func() { _, _ = s.TryReceive() },
			waiting:   func() int { return b.senders.count },
		}
	},
	"Subscription.Receive": func() subject {
		b := NewBroadcast[int](1, WaitForRoom)
		s := b.Subscribe()
		return subject{
			wait: func(ctx context.Context) error {
				_, err := s.Receive(ctx)
				return err
			},
			waitAsync: func(ctx context.Context) job.Handle { return s.ReceiveAsync(ctx) },
			serve:     func() { _ = b.TrySend(1) },
			waiting:   func() int { return s.receivers.count },
		}
	},
	"Observer.Next": func() subject {
		w := new(Watch[int])
		o := w.Observe()
		return subject{
			wait: func(ctx context.Context) error {
				_, err := o.Next(ctx)
				return err
			},
			waitAsync: func(ctx context.Context) job.Handle { return o.NextAsync(ctx) },
			serve:     func() { _ = w.Set(1) },
			servesAll: true,
			waiting:   func() int { return w.waiting.count },
		}
	},
}

func receiver(c *Channel[int]) subject {
	return subject{
		wait: func(ctx context.Context) error {
			_, err := c.Receive(ctx)
			return err
		},
		waitAsync: func(ctx context.Context) job.Handle { return c.ReceiveAsync(ctx) },
		serve:     func() { _ = c.TrySend(1) },
		waiting:   func() int { return c.receivers.count },

		keepsNothing: c.Cap() == 0,
	}
}

func sender(c *Channel[int]) subject {
	return subject{
		wait:      func(ctx context.Context) error { return c.Send(ctx, 1) },
		waitAsync: func(ctx context.Context) job.Handle { return c.SendAsync(ctx, 1) },
		serve:     func() { _, _ = c.TryReceive() },
		waiting:   func() int { return c.senders.count },

		keepsNothing: c.Cap() == 0,
	}
}

// onAllSubjects runs a test for each operation that waits.
func onAllSubjects(t *testing.T, test func(s subject)) {
	t.Helper()
	for name, made := range subjects {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := made()
				s.T = t
				test(s)
			})
		})
	}
}
