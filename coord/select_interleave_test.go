//go:build interleave

package coord

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/job"
)

// These programs run selects in each order of their steps. In all of them, a select ends with one
// case, which has taken effect, and the others have not; when it has ended, no queue has a waiter
// of it; and at rest no select waits for a case that is ready, nor for another select that waits
// for it.

// chooser is a select, and what its case has received.
type chooser struct {
	job *job.Job[int]
	got int
}

func (c *chooser) start(ctx context.Context, cases ...Case) { c.job = SelectAsync(ctx, cases...) }

func (c *chooser) waits() bool { return !c.job.Status().IsFinal() }

var errWaits = errors.New("the select waits")

// outcome returns the chosen case of a select that has ended.
func (c *chooser) outcome() (int, error) {
	if c.waits() {
		return -1, errWaits
	}
	return c.job.GetResult()
}

// idle returns an error if a waiter is left in a queue of the channel.
func (c *channel[T]) idle() error {
	if c.receivers.count > 0 || c.senders.count > 0 || interleave.LoadPointer(&c.receiver.waiter) != nil || interleave.LoadPointer(&c.sender.waiter) != nil {
		return fmt.Errorf("%d receivers and %d senders are left in queues", c.receivers.count, c.senders.count)
	}
	return nil
}

func TestInterleavingsOfASelectAndTwoHosts(t *testing.T) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		var m Mutex
		m.TryLock()
		ch, ctx, c := NewUnbounded[int](), newGiving(), new(chooser)
		s.Go("select", func() { c.start(ctx, OnLock(&m), OnReceive(ch, &c.got)) })
		s.Go("holder", m.Unlock)
		s.Go("sender", func() { _ = ch.TrySend(1) })
		s.Go("ender", ctx.end)
		return func() error {
			chosen, err := c.outcome()
			locked := !m.TryLock()
			switch {
			case m.queue.count > 0:
				return errors.New("a waiter is left in the queue of the lock")
			case chosen == 0 && err == nil && locked && ch.Len() == 1:
			case chosen == 1 && err == nil && !locked && ch.Len() == 0 && c.got == 1:
			case chosen == -1 && errors.Is(err, context.Canceled) && !locked && ch.Len() == 1:
			default:
				return fmt.Errorf("case %d, %v, locked: %v, %d elements are left", chosen, err, locked, ch.Len())
			}
			return ch.idle()
		}
	})
}

// The other case of the select holds up a light request.
func TestInterleavingsOfASelectThatLeavesASemaphore(t *testing.T) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		sem := NewSemaphore(2)
		sem.TryAcquire(1)
		ch, c := NewUnbounded[int](), new(chooser)
		var light *job.Job[job.Void]
		s.Go("select", func() { c.start(endless, OnAcquire(sem, 2), OnReceive(ch, &c.got)) })
		s.Go("light", func() { light = sem.AcquireAsync(endless, 1) })
		s.Go("sender", func() { _ = ch.TrySend(1) })
		return func() error {
			chosen, err := c.outcome()
			if chosen != 1 || err != nil || light.Status() != job.Completed || sem.Free() != 0 || sem.queue.count > 0 {
				return fmt.Errorf("case %d, %v; the light request is %s, %d are free", chosen, err, light.Status(), sem.Free())
			}
			return ch.idle()
		}
	})
}

func TestInterleavingsOfASelectAndPermits(t *testing.T) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		sem := NewSemaphore(2)
		sem.TryAcquire(2)
		c := new(chooser)
		var other *job.Job[job.Void]
		s.Go("select", func() { c.start(endless, OnAcquire(sem, 2), OnAcquire(sem, 1)) })
		s.Go("other", func() { other = sem.AcquireAsync(endless, 1) })
		s.Go("holder", func() { sem.Release(1); sem.Release(1) })
		return func() error {
			left := int64(1) // that the other one holds in the end
			if c.waits() && other.Status() == job.Completed {
				sem.Release(1) // the heavy case, which comes first, has to wait for it
				left = 0
			}
			chosen, err := c.outcome()
			if err != nil {
				return err
			}
			sem.Release([]int64{2, 1}[chosen])
			if other.Status() != job.Completed || sem.Free() != 2-left || sem.queue.count > 0 {
				return fmt.Errorf("case %d; the other one is %s, %d are free", chosen, other.Status(), sem.Free())
			}
			return nil
		}
	})
}

func TestInterleavingsOfTwoSelectsThatMeet(t *testing.T) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		a, b := NewRendezvous[int](), NewRendezvous[int]()
		one, two := new(chooser), new(chooser)
		s.Go("one", func() { one.start(endless, OnSend(a, 1), OnReceive(b, &one.got)) })
		s.Go("two", func() { two.start(endless, OnSend(b, 2), OnReceive(a, &two.got)) })
		return func() error {
			i, err := one.outcome()
			k, other := two.outcome()
			if err = errors.Join(err, other, a.idle(), b.idle()); err != nil {
				return err
			}
			if i == k || i == 0 && two.got != 1 || i == 1 && one.got != 2 {
				return fmt.Errorf("cases %d and %d, which have received %d and %d", i, k, one.got, two.got)
			}
			return nil
		}
	})
}

// Two of the three meet, and the third one waits in the queues of both its cases.
func TestInterleavingsOfThreeSelectsInARing(t *testing.T) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		var channels [3]*Channel[int]
		var selects [3]chooser
		for i := range channels {
			channels[i] = NewRendezvous[int]()
		}
		for i := range selects {
			c := &selects[i]
			s.Go(fmt.Sprint("select ", i), func() {
				c.start(endless, OnSend(channels[i], i), OnReceive(channels[(i+1)%3], &c.got))
			})
		}
		return func() error {
			waiting, queued := -1, 0
			for i := range selects {
				queued += channels[i].receivers.count + channels[i].senders.count
				if selects[i].waits() {
					waiting = i
				}
			}
			if waiting < 0 || queued != 2 {
				return fmt.Errorf("select %d waits, with %d waiters in queues", waiting, queued)
			}
			sender, receiver := &selects[(waiting+2)%3], &selects[(waiting+1)%3]
			i, err := sender.outcome()
			k, other := receiver.outcome()
			if err = errors.Join(err, other); err != nil || i != 0 || k != 1 || receiver.got != (waiting+2)%3 {
				return fmt.Errorf("cases %d and %d, %d was received, %w", i, k, receiver.got, err)
			}
			return nil
		}
	})
}

func TestInterleavingsOfTwoSelectsThatMeetAndAReceiver(t *testing.T) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		a, b := NewRendezvous[int](), NewRendezvous[int]()
		one, two := new(chooser), new(chooser)
		var third *job.Job[int]
		s.Go("one", func() { one.start(endless, OnSend(a, 1), OnSend(b, 2)) })
		s.Go("two", func() { two.start(endless, OnReceive(a, &two.got), OnReceive(b, &two.got)) })
		s.Go("receiver", func() { third = b.ReceiveAsync(endless) })
		return func() error {
			i, err := one.outcome()
			if err != nil || two.waits() == !third.Status().IsFinal() {
				return fmt.Errorf("case %d, %w, of two receivers waits the select: %v, the other: %s", i, err, two.waits(), third.Status())
			}
			if two.waits() {
				if v, _ := third.GetResult(); i != 1 || v != 2 || a.receivers.count != 1 || b.receivers.count != 1 {
					return fmt.Errorf("case %d, the receiver got %d", i, v)
				}
				return nil
			}
			if k, err := two.outcome(); err != nil || i != k || two.got != 1+i || a.receivers.count != 0 || b.receivers.count != 1 {
				return fmt.Errorf("cases %d and %d, %w, got %d", i, k, err, two.got)
			}
			return nil
		}
	})
}

// A select that sends to the channel from which it receives meets others there.
func TestInterleavingsOfASelectThatSendsAndReceives(t *testing.T) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		a, c := NewRendezvous[int](), new(chooser)
		var sent *job.Job[job.Void]
		var received *job.Job[int]
		s.Go("select", func() { c.start(endless, OnReceive(a, &c.got), OnSend(a, 1)) })
		s.Go("sender", func() { sent = a.SendAsync(endless, 2) })
		s.Go("receiver", func() { received = a.ReceiveAsync(endless) })
		return func() error {
			chosen, err := c.outcome()
			v := 0
			if received.Status().IsFinal() {
				v, _ = received.GetResult()
			}
			switch {
			case errors.Is(err, errWaits) && sent.IsCompleted() && v == 2 && a.receivers.count == 1 && a.senders.count == 1:
			case chosen == 0 && err == nil && c.got == 2 && sent.IsCompleted() && v == 0 && a.receivers.count == 1 && a.senders.count == 0:
			case chosen == 1 && err == nil && !sent.IsCompleted() && v == 1 && a.receivers.count == 0 && a.senders.count == 1:
			default:
				return fmt.Errorf("case %d, %v, got %d; the send is %s, the receiver got %d; %d receivers and %d senders wait",
					chosen, err, c.got, sent.Status(), v, a.receivers.count, a.senders.count)
			}
			return nil
		}
	})
}

func TestInterleavingsOfASelectAndACloser(t *testing.T) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		var m Mutex
		m.TryLock()
		a, c := NewRendezvous[int](), new(chooser)
		got := 0
		s.Go("select", func() { c.start(endless, OnSend(a, 1), OnLock(&m)) })
		s.Go("receiver", func() { got, _ = a.TryReceive() })
		s.Go("closer", a.Close)
		s.Go("holder", m.Unlock)
		return func() error {
			chosen, err := c.outcome()
			locked := !m.TryLock()
			switch {
			case chosen == 0 && err == nil && got == 1 && !locked:
			case chosen == 0 && errors.Is(err, ErrClosed) && got == 0 && !locked:
			case chosen == 1 && err == nil && got == 0 && locked:
			default:
				return fmt.Errorf("case %d, %v, received: %d, locked: %v", chosen, err, got, locked)
			}
			return a.idle()
		}
	})
}

func TestInterleavingsOfASelectAndAJob(t *testing.T) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		source, ch, c := job.NewSource[int](), NewUnbounded[int](), new(chooser)
		s.Go("select", func() { c.start(endless, OnEnd(source.Job()), OnReceive(ch, &c.got)) })
		s.Go("source", func() { source.TrySetResult(1) })
		s.Go("sender", func() { _ = ch.TrySend(1) })
		return func() error {
			chosen, err := c.outcome()
			switch {
			case chosen == 0 && err == nil && ch.Len() == 1:
			case chosen == 1 && err == nil && ch.Len() == 0 && c.got == 1:
			default:
				return fmt.Errorf("case %d, %w, %d elements are left", chosen, err, ch.Len())
			}
			return ch.idle()
		}
	})
}

func TestInterleavingsOfASelectAndAJobAlone(t *testing.T) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		source, ch, c := job.NewSource[int](), NewUnbounded[int](), new(chooser)
		s.Go("select", func() { c.start(endless, OnReceive(ch, &c.got), OnEnd(source.Job())) })
		s.Go("source", func() { source.TrySetResult(1) })
		return func() error {
			if chosen, err := c.outcome(); err != nil || chosen != 1 {
				return fmt.Errorf("case %d, %w", chosen, err)
			}
			return ch.idle()
		}
	})
}

func TestInterleavingsOfASelectAndASender(t *testing.T) {
	exploreExchange(t, func(s *interleave.Schedule, x *exchange) {
		x.channel.capacity = math.MaxInt
		s.Go("select", x.choose)
		s.Go("sender", func() { x.send(1); x.send(2) })
		s.Go("closer", x.close)
	})
}

func TestInterleavingsOfASelectAndASingleReceiver(t *testing.T) {
	exploreExchange(t, func(s *interleave.Schedule, x *exchange) {
		x.channel.capacity = math.MaxInt
		m := x.machine(1)
		s.Go("receiver", m.run)
		s.Go("select", x.choose)
		s.Go("sender", func() { x.send(1); x.send(2) })
	})
}

// A server that finds a select which was served elsewhere serves the one behind it.
func TestInterleavingsOfASelectAndAWaiterBehindIt(t *testing.T) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		var m Mutex
		m.TryLock()
		ch, c := NewUnbounded[int](), new(chooser)
		var behind *job.Job[job.Void]
		s.Go("select", func() { c.start(endless, OnLock(&m), OnReceive(ch, &c.got)) })
		s.Go("behind", func() { behind = m.LockAsync(endless) })
		s.Go("sender", func() { _ = ch.TrySend(1) })
		s.Go("holder", m.Unlock)
		return func() error {
			chosen, err := c.outcome()
			if err != nil {
				return err
			}
			if chosen == 0 {
				m.Unlock()
			}
			if behind.Status() != job.Completed || ch.Len() != 1-chosen || m.queue.count > 0 {
				return fmt.Errorf("case %d, %d elements are left, the one behind is %s", chosen, ch.Len(), behind.Status())
			}
			return ch.idle()
		}
	})
}

// A select that passes itself by finds the receiver behind its own.
func TestInterleavingsOfASelectThatSendsAndReceivesAndAReceiver(t *testing.T) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		a, c := NewRendezvous[int](), new(chooser)
		var received *job.Job[int]
		s.Go("select", func() { c.start(endless, OnReceive(a, &c.got), OnSend(a, 1)) })
		s.Go("receiver", func() { received = a.ReceiveAsync(endless) })
		return func() error {
			if chosen, err := c.outcome(); err != nil || chosen != 1 || received.Status() != job.Completed {
				return fmt.Errorf("case %d, %w; the receiver is %s", chosen, err, received.Status())
			}
			return a.idle()
		}
	})
}
