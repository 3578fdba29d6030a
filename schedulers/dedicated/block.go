package dedicated

import "github.com/movenext/movenext/schedulers"

// This file knows when a wait can never end.
//
// # What can be known
//
// n threads, and none will ever be added. If all of them wait, and what each of them waits for is done by work of this
// very scheduler, nothing will be done any more: there is no thread left to do it. The last one to wait is
// told so, instead of waiting.
//
// Nothing less is enough. A thread that waits for something else (a pool, a network, a person) may go on at any
// moment; so [thread.Block], which does not say what the wait is for, counts as a thread that may go on. So does a thread whose
// wait has ended but which has not been given a processor yet: that it is still inside of its wait, when the
// last one asks, says nothing. That is why a wait hands in the channel that ends it, and why each is looked at
// anew:
//
//	stuck(w) = w.awaits != nil and w.awaits is not closed
//
// The argument: let all n be stuck while mu is held. A channel is closed by work of this scheduler that is running or
// queued. None is running but on one of these threads, beneath its wait; so none of them runs on before a channel is
// closed. The first channel to be closed would have to be closed by one of them. What remains is help from
// outside, which the scheduler leaves out of account: somebody who cancels the awaited work, or who shuts the
// scheduler down with a deadline.
//
// # Who asks
//
// A worker in a context is a hint, so the caller may be a goroutine that has nothing to do with the thread, and which
// may wait without holding anything up. The thread's id tells the two apart where the operating
// system does; elsewhere the hint is believed.

// Block implements [schedulers.Blocker]. It changes nothing and never returns an error: what the wait is for is not known,
// so it may end.
func (w *thread) Block() (unblock func(), err error) { return func() {}, nil }

// BlockFor implements [schedulers.HomeBlocker]: it returns [schedulers.ErrWouldDeadlock] if the wait would be that of
// the last thread, and all the others wait for work of this scheduler, too. Work of schedulers on top of this one is
// work of this one ([schedulers.RunsOn]).
func (w *thread) BlockFor(home schedulers.Scheduler, done <-chan struct{}) (unblock func(), err error) {
	t := w.of
	if !schedulers.RunsOn(home, t) || !w.here() {
		return w.Block()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.othersAreStuck(w) && !ended(done) {
		return nil, schedulers.ErrWouldDeadlock
	}
	outer := w.awaits // work that was run in place waits inside of a wait
	w.awaits = done
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		w.awaits = outer
	}, nil
}

// othersAreStuck reports whether no thread but w will ever run work; mu is held. Those that were never
// needed so far count as free.
func (t *Threads) othersAreStuck(w *thread) bool {
	if t.started < len(t.all) {
		return false
	}
	for _, other := range t.all {
		if other != w && (other.awaits == nil || ended(other.awaits)) {
			return false
		}
	}
	return true
}

func ended(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
