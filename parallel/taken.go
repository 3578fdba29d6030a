package parallel

import (
	"runtime"

	"github.com/movenext/movenext/internal/panics"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
)

// This file handles forks that do not run where they are joined.
//
// # The easy part
//
// A worker that has nothing to do takes the oldest offered fork, runs it, and publishes
// the outcome in its header, where the join finds it.
//
// # The join comes too early
//
// The owner has to wait. A sleeping goroutine is one worker less, so the owner looks for
// other work. Taking any work is the obvious answer, and a bad one: the work may take
// forever, lies on top of the owner's stack until it ends, and may need a lock held by a
// function below it that waits for the join. So the owner takes only work that it would
// have to wait for anyway (leapfrogging; Wagner and Calder, 1993):
//
//   - forks that were made after the one that it joins: they lie above it on its own stack;
//   - descendants of the fork that it joins, from the offers of the worker that runs it.
//
// The stack is then never deeper than that of the plain program, and a function that
// holds a lock while it joins meets only calls that plain Go would have run there, or
// its own later forks.
//
// # Nothing to take
//
// The taker may be inside a long function and fork later. So the owner checks a few more
// times, and then sleeps until the fork has ended, or descendants are on offer:
//
//	owner (park)                          taker (offer, finish)
//	  O1 write wake, then state: awaited    T1 offer, or write the outcome
//	  O2 look for descendants               T2 state is awaited: take it out of there, close wake
//	  O3 none: sleep on wake
//
// O1 and T2 are atomic steps on one word; O2 and T1 are under one lock (or T1 ends in
// the same step as T2). If T1 comes before O2, the owner finds the offer; otherwise O1
// came before T1, and T2 sees awaited.
//
// # A panic, a Goexit
//
// They must not end the taker's goroutine instead of the owner's, so run recovers and
// keeps them for the join, which raises them again. A panic has the same value, so a
// deferred recover in the user's function cannot tell where the call ran.
//
// # An early end
//
// When a panic passes through a join, the forks above its entry will not be joined.
// unwind drops those that have not begun and waits for the others, without taking
// anything: this goroutine must not run user code now.

// adopt makes w the taker of a fork. The taker calls it before the fork is visible as
// taken.
func (w *Worker) adopt(f anyFork) {
	h := f.base()
	h.thief, h.since = w, w.offers.tail
}

// serve runs a fork that a member without anything to do has taken.
func (w *Worker) serve(f anyFork) {
	w.team.demand.Add(-1)
	w.run(f)
	w.team.demand.Add(1)
}

// run runs an adopted fork and publishes its outcome, whatever that is. It does not
// return if the function calls runtime.Goexit.
func (w *Worker) run(f anyFork) {
	h, top := f.base(), w.top
	h.outer, w.current = w.current, h
	exits := true
	defer func() {
		if exits {
			h.exited = true
			w.unwind(top)
		}
		w.current = h.outer
		h.finish()
	}()
	w.recoverFrom(f, top)
	exits = false
}

// recoverFrom runs a fork and records its panic, which may have begun while the goroutine exits:
// then recoverFrom does not return.
func (w *Worker) recoverFrom(f anyFork, top int) {
	defer func() {
		if v := recover(); v != nil {
			f.base().failure = w.panicError(v)
			w.unwind(top)
		}
	}()
	f.execute(w)
	w.joinAbove(top)
}

// root runs the body of the operation.
func (w *Worker) root(body func() error) (err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			err = w.panicError(v)
		}
		w.unwind(0)
	}()
	err = body()
	w.joinAbove(0)
	returned = true
	return err
}

// panicError returns the error for a value that was just recovered. If the value came
// through a join, that is the join's error, which has the stack of the original panic.
func (w *Worker) panicError(v any) *job.PanicError {
	if p := w.foreign; p != nil && panics.Same(p.Value, v) {
		p.Value = v // functions that count as one may be two
		return p
	}
	return promise.Panic(v)
}

// reclaim returns true, and frees entry i, if the fork in the entry has not begun: its
// join then makes the call. Otherwise reclaim waits for the fork's end.
func (w *Worker) reclaim(i int) bool {
	w.joinAbove(i + 1)
	p := &w.entries[i]
	if w.takeBack(p) {
		p.fork.clear()
		w.vacate(i)
		return true
	}
	w.await(i)
	return false
}

// collect frees entry i, whose fork has ended, and raises the panic or the Goexit
// that it ended with.
func (w *Worker) collect(i int) {
	f := w.entries[i].fork
	h := f.base()
	failure, exited := h.failure, h.exited
	f.clear()
	h.release()
	w.vacate(i)
	w.foreign = failure
	switch {
	case exited && failure != nil:
		defer panic(failure.Value)
		runtime.Goexit()
	case exited:
		runtime.Goexit()
	case failure != nil:
		panic(failure.Value)
	}
}

// joinAbove joins what lies above top, the youngest first. Forks that those leave
// on the stack lie above top too.
func (w *Worker) joinAbove(top int) {
	for w.top > top {
		i := w.top - 1
		switch p := &w.entries[i]; {
		case p.state == joined:
			w.vacate(i)
		case w.takeBack(p):
			f := p.fork
			f.base().generation++
			w.vacate(i)
			w.supply()
			f.call(w)
		default:
			w.await(i)
			w.collect(i)
		}
	}
}

// runEarly runs the fork in entry i before its join, unless it has begun.
func (w *Worker) runEarly(i int) {
	if p := &w.entries[i]; w.takeBack(p) {
		p.state = done
		f := p.fork
		w.adopt(f)
		w.run(f)
	}
}

// unwind frees all entries above top: the functions that would join them are being
// left.
func (w *Worker) unwind(top int) {
	for w.top > top {
		i := w.top - 1
		p := &w.entries[i]
		if p.state == offered && !w.offers.withdraw(p.ticket, p.fork, w.floor()) {
			w.sleep(p.fork.base())
		}
		p.fork.clear()
		p.fork.base().release()
		w.vacate(i)
	}
}

// await returns when the fork in entry i, which has begun, has ended.
func (w *Worker) await(i int) {
	h := w.entries[i].fork.base()
	for later := i + 1; later < w.top && !h.hasEnded(); later++ {
		w.runEarly(later)
	}
	if h.hasEnded() {
		return
	}
	w.team.demand.Add(1)
	for misses := 0; !h.hasEnded(); misses++ {
		switch f := h.thief.offers.takeSince(h, w); {
		case f != nil:
			misses = -1
			w.serve(f)
		case misses < spins:
			runtime.Gosched()
		default:
			misses = -1
			w.park(h)
		}
	}
	w.team.demand.Add(-1)
}

// sleep returns when a begun fork has ended, without taking anything.
func (w *Worker) sleep(h *header) {
	for misses := 0; !h.hasEnded(); misses++ {
		if misses < spins {
			runtime.Gosched()
			continue
		}
		wake := make(chan struct{})
		h.wake = wake
		if h.state.CompareAndSwap(running, awaited) {
			unblock := announceBlock(w.on)
			<-wake
			unblock()
		}
	}
}

// park sleeps until the fork has ended or has a descendant that can be taken.
func (w *Worker) park(h *header) {
	wake := make(chan struct{}) // new: a pooled one could not be used across synctest bubbles
	h.wake = wake
	if !h.state.CompareAndSwap(running, awaited) {
		return // it has ended
	}
	if h.thief.offers.hasSince(h) && h.state.CompareAndSwap(awaited, running) {
		return
	}
	defer announceBlock(w.on)()
	<-wake
}
