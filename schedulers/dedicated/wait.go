package dedicated

import (
	"context"

	"github.com/movenext/movenext/internal/runloop"
	"github.com/movenext/movenext/schedulers"
)

// This file has a thread that waits do what it waits for, if nobody else can.
//
// Work on the only thread starts others and waits for a sum of them: for all, for a countdown,
// for a set to be empty. Which pieces of work that takes nobody can tell the scheduler. To let
// the thread block would be for ever.
//
// The tempting answer is to run whatever is queued, as an event loop does. It turns a program
// that was right into one that hangs: work that holds a mutex waits for a timer, other work is
// run on top of it and wants the mutex, and the first can not go on beneath it. In a queue that
// other work would have done no harm.
//
// So only two kinds of work are run on top of a wait, the newest first, and only while all other
// threads wait, too:
//
//   - what was submitted on this thread, as the hint says: mostly the waiting work's own;
//   - what goes on with something that has started before ([schedulers.Resumed]): machines, which suspend where they would block,
//     continuations, the turn that a strand on top of this scheduler hands on.
//
// Everything else stays queued until the thread is free.
//
// No call is lost: Submit queues under mu and then calls a thread, a parked one before one that
// waits; a thread looks at the queue and becomes one that waits in one critical section. A
// thread that was called and leaves runs on, and looks at the queue before it parks or waits
// again.

// Pump implements [schedulers.Pumper]: it waits for done, and meanwhile runs queued work of its
// own while no other thread could. It returns [schedulers.ErrWouldDeadlock] where BlockFor does,
// if there is none.
func (w *thread) Pump(ctx context.Context, home schedulers.Scheduler, done <-chan struct{}) error {
	if !w.here() {
		return schedulers.Wait(ctx, nil, nil, done)
	}
	stop := w.of.wait(w, home, done)
	defer stop()
	for {
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return schedulers.Wait(ctx, nil, nil, done) // which says why
		default:
		}
		work, called, err := w.of.help(w, home, done)
		switch {
		case err != nil:
			return err
		case work != nil:
			runloop.Once(work, w, w.of.helped)
			continue
		}
		select {
		case <-done:
		case <-ctx.Done():
		case <-called:
		}
	}
}

// pumping is a thread inside of Pump. Guarded by Threads.mu.
type pumping struct {
	done   <-chan struct{}
	called chan struct{} // closed when work has come that it may have to run
}

// wait notes that w waits for done; stop takes that back.
func (t *Threads) wait(w *thread, home schedulers.Scheduler, done <-chan struct{}) (stop func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	awaits, waits := w.awaits, w.waits
	w.waits, w.awaits = &pumping{done: done}, nil
	if schedulers.RunsOn(home, t) {
		w.awaits = done
	}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		w.awaits, w.waits = awaits, waits
	}
}

// help returns work for w to run on top of its wait, or else a channel that is closed when it is
// worth asking again.
func (t *Threads) help(w *thread, home schedulers.Scheduler, done <-chan struct{}) (schedulers.Work, <-chan struct{}, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.othersWait(w) {
		if work := t.queue.popNear(w); work != nil {
			t.helping++
			return work, nil, nil
		}
	}
	if w.awaits != nil && t.othersAreStuck(w) && !ended(done) {
		return nil, nil, schedulers.ErrWouldDeadlock
	}
	w.waits.called = make(chan struct{})
	t.callOthers(w)
	return nil, w.waits.called, nil
}

// othersWait reports whether all threads but w are inside of waits that have not ended; mu is
// held.
func (t *Threads) othersWait(w *thread) bool {
	if t.started < len(t.all) || len(t.parked) > 0 {
		return false
	}
	for _, other := range t.all {
		if other != w && (other.waits == nil || ended(other.waits.done)) {
			return false
		}
	}
	return true
}

// callOthers has the threads that wait look again, since w does now, too, or work has come; mu
// is held.
func (t *Threads) callOthers(w *thread) {
	if t.queue.len() == 0 {
		return
	}
	for _, other := range t.all {
		if p := other.waits; other != w && p != nil && p.called != nil {
			close(p.called)
			p.called = nil
		}
	}
}

// helped counts work that was run on top of a wait.
func (t *Threads) helped(panicked bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.helping--
	t.completed++
	if panicked {
		t.panicked++
	}
}
