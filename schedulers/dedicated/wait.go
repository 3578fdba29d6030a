package dedicated

import (
	"context"

	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/internal/runloop"
	"github.com/movenext/movenext/internal/shutdown"
	"github.com/movenext/movenext/schedulers"
)

// This file lets a waiting thread run the work that it waits for, if no other
// thread can.
//
// Suppose work on the only thread starts other work and waits for a combined result: for
// all of it, for a countdown, for a set to be empty. The scheduler cannot know which work
// items that result needs. If the thread just blocked, it would block forever.
//
// The tempting answer is to run any queued work, as an event loop does. That turns a
// correct program into one that hangs: work that holds a mutex waits for a timer, other
// work is run on top of it and wants the mutex, and the first cannot continue beneath it.
// In the queue, the other work would have done no harm.
//
// So only two kinds of work are run on top of a wait, the newest first (work that
// yields, by [schedulers.PreferFairness], runs after all other work, the oldest
// first), and only while all other threads wait, too:
//
//   - work that was submitted on this thread, as the hint says: usually by the waiting
//     work itself;
//   - work that continues something that has started before
//     ([schedulers.Resumed]): machines, which suspend where they would block,
//     continuations, and the turn that a strand on top of this scheduler passes on.
//
// Everything else stays queued until the thread is free.
//
// Work that yields ([dispatch.Yield]) is different: it says that other work is to run
// first. So its thread serves the queue as if it were free, the oldest first, until its
// turn comes.
//
// No call is lost. Submit queues under mu and then calls a thread, a parked one rather
// than a waiting one; a thread checks the queue and starts to wait in one critical
// section. A thread that was called and leaves its wait continues to run, and checks the
// queue before it parks or waits again.

// Pump implements [schedulers.Pumper]: it waits for done, and meanwhile runs queued
// work of its own while no other thread could. It returns [schedulers.ErrWouldDeadlock]
// in the same cases as BlockFor, if no work that it may run is queued.
func (w *thread) Pump(ctx context.Context, home schedulers.Scheduler, done <-chan struct{}) error {
	if !w.isCurrent() {
		return shutdown.Await(ctx, done, func() {})
	}
	stop := w.threads.beginWait(w, home, done, contract.Yields(ctx))
	defer stop()
	for {
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return shutdown.Await(ctx, done, func() {}) // which returns the cause
		default:
		}
		work, called, err := w.threads.help(w, home, done)
		switch {
		case err != nil:
			return err
		case work != nil:
			w.runOnTop(work)
			continue
		}
		select {
		case <-done:
		case <-ctx.Done():
		case <-called:
		}
	}
}

// pumpWait is a thread inside Pump. Guarded by Threads.mu.
type pumpWait struct {
	done   <-chan struct{}
	yields bool          // it may run any work
	called chan struct{} // closed when work arrives that it may have to run
}

// beginWait records that w waits for done; stop undoes that.
func (t *Threads) beginWait(w *thread, home schedulers.Scheduler, done <-chan struct{}, yields bool) (stop func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	awaits, waits := w.awaits, w.pump
	w.pump, w.awaits = &pumpWait{done: done, yields: yields}, nil
	if schedulers.RunsOn(home, t) {
		w.awaits = done
	}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		w.awaits, w.pump = awaits, waits
	}
}

// help returns work for w to run on top of its wait, or else a channel that is closed
// when w should check again.
func (t *Threads) help(w *thread, home schedulers.Scheduler, done <-chan struct{}) (schedulers.Work, <-chan struct{}, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if work := t.takeOnTop(w); work != nil {
		t.helping++
		return work, nil, nil
	}
	if w.awaits != nil && t.othersAreStuck(w) && !isClosed(done) {
		return nil, nil, schedulers.ErrWouldDeadlock
	}
	w.pump.called = make(chan struct{})
	t.wakeOthers(w)
	return nil, w.pump.called, nil
}

// takeOnTop takes work out of the queue that w is to run on top of its wait, or returns nil;
// mu is held.
func (t *Threads) takeOnTop(w *thread) schedulers.Work {
	switch {
	case w.pump.yields:
		return t.queue.pop()
	case t.othersWait(w):
		return t.queue.popOnTop(w)
	}
	return nil
}

// othersWait reports whether all threads but w are inside waits that have not ended; mu
// is held.
func (t *Threads) othersWait(w *thread) bool {
	if t.started < len(t.all) || len(t.parked) > 0 {
		return false
	}
	for _, other := range t.all {
		if other != w && (other.pump == nil || isClosed(other.pump.done)) {
			return false
		}
	}
	return true
}

// wakeOthers makes the waiting threads check again, because w now waits too or work has
// arrived; mu is held.
func (t *Threads) wakeOthers(w *thread) {
	if t.queue.len() == 0 {
		return
	}
	for _, other := range t.all {
		if p := other.pump; other != w && p != nil && p.called != nil {
			close(p.called)
			p.called = nil
		}
	}
}

// runOnTop runs work on top of the wait of other work.
func (w *thread) runOnTop(work schedulers.Work) {
	before := w.onTop
	w.onTop = true
	runloop.Once(w.threads, work, w, w.threads.endHelp)
	w.onTop = before
}

// OnTop reports whether the work that runs on w began on top of a wait. Only that work
// may call it, on its own goroutine.
func (w *thread) OnTop() bool { return w.onTop }

// endHelp counts work that was run on top of a wait.
func (t *Threads) endHelp(panicked bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.helping--
	t.completed++
	if panicked {
		t.panicked++
	}
}
