package coord

import (
	"context"
	"errors"

	"github.com/movenext/movenext/job"
)

// # A wait that does not return
//
// While plain code waits on the thread of an event loop, that thread runs other work on top of
// it. If that work calls runtime.Goexit, the waiting function is unwound too: Go has no way to
// exit a part of a goroutine. A context whose methods panic has the same effect. The
// function can return nothing that the waiter gets, so the waiter must not get anything:
//
//	in its queue      it gives up, as if its context had ended
//	served            what it was granted goes to the next one
//
// The second case is not rare: the work on top may be the one that unlocks, and exits then.
//
// What cannot be taken back stays as it is: an element that was sent, a phase of a barrier or a
// countdown that has ended. The waiter of a Cond waits for the lock once more, since the deferred
// Unlock of its function will be called.

// errDeserted is the error of a wait that was unwound. No caller gets it.
var errDeserted = errors.New("coord: the wait was unwound")

// desert ends the wait of c, whose goroutine unwinds.
func desert[R, P any](c *call[R, P], request P) {
	w := &c.waiter
	if !w.leave() {
		return
	}
	c.request = request // completing has cleared both
	c.value, w.err = c.promise.Job.GetResult()
	w.comeBack().deliver(nil)
}

// leave gives up, waits until w is completed, and reports whether it was served nevertheless.
func (w *waiter) leave() (served bool) {
	w.giveUp(errDeserted)
	settle(w.call)
	return !w.gaveUp
}

// comeBack takes back what w, which was served, got, and returns the waiters that this serves.
func (w *waiter) comeBack() (decided outcomes) {
	switch h := w.host.(type) {
	case returnable:
		return w.takeBack(h.comeBack)
	case revocable:
		if w.err == nil {
			return w.takeBack(h.giveBack)
		}
	}
	return decided
}

// settle waits for the job of c, even if further work on top of this wait calls runtime.Goexit.
func settle(c typedCall) {
	settled := false
	defer func() {
		if settled {
			return
		}
		if v := recover(); v != nil {
			panic(v)
		}
		settle(c)
	}()
	c.await()
	settled = true
}

// await implements typedCall.
func (c *call[R, P]) await() { _, _ = c.promise.Job.Wait(context.Background()) }

// returnable is a host that keeps for others what a waiter got and did not return. For machines,
// whose home is gone, this is not used: they continue elsewhere with what they got.
type returnable interface {
	// comeBack takes back the value and the error of w, and returns the waiters that this
	// serves. The guard is held, and w is in no queue.
	comeBack(w *waiter) outcomes
}

// comeBack puts the element back, in front of all others.
func (r *receiverHost[T]) comeBack(w *waiter) (decided outcomes) {
	if w.err != nil {
		return decided
	}
	return (*channel[T])(r).takeBack(callOf[T, job.Void](w).value)
}

// comeBack puts the element back, in front of all others that the subscription has yet to read.
func (s *subscription[T]) comeBack(w *waiter) (decided outcomes) {
	v := callOf[T, job.Void](w).value
	switch {
	case w.err != nil || s.closed:
	case !s.receivers.empty():
		next := s.receivers.pop()
		callOf[T, job.Void](next).value = v
		decided.add(next)
	default:
		s.returned = append(s.returned, v)
	}
	return decided
}

// comeBack makes the latest value new for the observer again.
func (o *observer[T]) comeBack(w *waiter) (decided outcomes) {
	if w.err != nil {
		return decided
	}
	waiting := &o.watch.waiting
	for next := waiting.first; next != nil; next = next.next {
		if next.host == host(o) {
			waiting.remove(next)
			callOf[T, job.Void](next).value = o.watch.value
			decided.add(next)
			return decided
		}
	}
	o.seen--
	return decided
}

// comeBack sets the round again, unless another one was begun.
func (s *reusable[T]) comeBack(w *waiter) (decided outcomes) {
	c := callOf[T, Round](w)
	if c.request == s.round && s.phase == roundIdle && !errors.Is(w.err, ErrRound) {
		s.phase, s.value, s.err = roundSet, c.value, w.err
	}
	return decided
}
