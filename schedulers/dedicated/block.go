package dedicated

import "github.com/movenext/movenext/schedulers"

// This file detects waits that can never end.
//
// # What can be known
//
// The scheduler has n threads and will never add another. If all of them wait,
// each for work of this very scheduler, no thread is left to run that work. Then
// the last thread to wait gets an error instead of waiting.
//
// No weaker condition is enough. A thread that waits for something else (a pool,
// a network, a person) may continue at any moment. [thread.Block] does not say what the
// wait is for, so its thread counts as one that may continue. So does a thread whose wait
// has ended but which has not been given a processor yet: it is still inside its wait
// when the last thread checks, and that proves nothing. That is why a wait passes in the
// channel that ends it, and why each check reads all channels again:
//
//	stuck(w) = w.awaits != nil and w.awaits is not closed
//
// Proof. Let all n threads be stuck while mu is held. A channel is closed by work
// of this scheduler that is running or queued. Running work is on one of these
// threads, beneath its wait, so none of it continues before a channel is closed.
// Thus the first channel to be closed would have to be closed by a thread that
// waits for a channel. What remains is help from outside, which the scheduler
// does not consider: a cancellation of the awaited work, or a shutdown of the
// scheduler with a deadline.
//
// # Hints
//
// A worker in a context is a hint, so the caller may be a goroutine unrelated to
// the thread, and its wait delays nothing. The thread's id distinguishes the two if
// the operating system provides it; elsewhere the hint is believed.

// Block implements [schedulers.Blocker]. It changes nothing and never returns an error:
// the wait may be for anything, so it may end.
func (w *thread) Block() (unblock func(), err error) { return func() {}, nil }

// BlockFor implements [dispatch.HomeBlocker]: it returns
// [schedulers.ErrWouldDeadlock] if the awaited work is work of this scheduler, and all
// other threads wait for such work, too. Work of schedulers on top of this one counts as
// its own ([schedulers.RunsOn]).
func (w *thread) BlockFor(home schedulers.Scheduler, done <-chan struct{}) (unblock func(), err error) {
	t := w.threads
	if !schedulers.RunsOn(home, t) || !w.isCurrent() {
		return w.Block()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.othersAreStuck(w) && !isClosed(done) {
		return nil, schedulers.ErrWouldDeadlock
	}
	outer := w.awaits // work that was run in place waits inside a wait
	w.awaits = done
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		w.awaits = outer
	}, nil
}

// othersAreStuck reports whether no thread but w will ever run work; mu is held.
// Threads that have never been needed count as free.
func (t *Threads) othersAreStuck(w *thread) bool {
	if t.started < len(t.all) {
		return false
	}
	for _, other := range t.all {
		if other != w && (other.awaits == nil || isClosed(other.awaits)) {
			return false
		}
	}
	return true
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
