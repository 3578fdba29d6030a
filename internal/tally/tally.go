// Package tally counts the work of a scheduler: how much was accepted, how it ended, and
// whether all of it has ended, which is what Shutdown waits for.
//
// # One word decides
//
// Whether work may enter and whether all work has ended must be decided together: with two
// variables, work could enter between "closed" and "nothing is left". So one word holds both
// the number of work items that are accepted and not done, and the closed bit:
//
//	word = 2·pending + closed
//
//	Enter      adds 2, unless the bit is set
//	leave      subtracts 2; a result of 1 means that this was the last leave after close
//	close      sets the bit; a previous value of 0 means that nothing was left
//
// After the bit is set the word only decreases, so either it becomes 1 once, or it was 0
// when the bit was set: done is closed exactly once.
//
// The tempting alternative is a sync.WaitGroup next to a flag: Add then races Wait in
// exactly the case in which it must not.
//
// # What is counted
//
//	Enter ─▶ pending ─┬─ Run ─▶ running ─▶ completed (and panicked)
//	                  ├─ Abandon ────────▶ abandoned
//	                  └─ Refuse ─────────▶ refused: the scheduler beneath did not accept it
package tally

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/shutdown"
	"github.com/movenext/movenext/schedulers"
)

// Tally counts the work of one scheduler. The zero value is open and empty. All
// methods are safe for concurrent use, and none but Shutdown blocks.
type Tally struct {
	// OnDrained, if not nil, is called once: after Shutdown was called and the last
	// work has ended, before any Shutdown returns. It must not block. Set it
	// before use.
	OnDrained func()

	// SkipRegistration is true if Run need not register the worker for [schedulers.Here]:
	// each work item has its own goroutine, whose waits delay no other work, or the
	// scheduler registers the worker for many work items at once. Set it before use.
	SkipRegistration bool

	// WorkerPerItem is true if each work item has its own worker, whose events the tally
	// reports, too. Set it before use.
	WorkerPerItem bool

	refused, abandoned, panicked interleave.Uint64

	mu   interleave.Mutex
	done chan struct{} // made by the first Shutdown, before the bit is set

	// Submitters and workers both write word, and each write takes the cache line away from
	// the others. What the workers alone write has a line of its own.
	_    [64]byte
	word interleave.Int64
	_    [64]byte

	begun, completed interleave.Uint64 // their difference is the number of running work items
	_                [64]byte
}

const (
	closedBit = 1
	unit      = 2
)

// EndListener is notified when a run has ended, in whatever way. HandleEnd is called before
// Shutdown can return because of that end. It must not block or panic.
type EndListener interface{ HandleEnd() }

// Enter accepts w on behalf of the scheduler home, whose errors begin with name, or returns
// the reason of a refusal: nil work is rejected, and no work is accepted after Shutdown.
// Each Enter that returned nil must be followed by exactly one call of Run, RunThrough,
// Abandon or Refuse.
func (t *Tally) Enter(name string, home schedulers.Scheduler, w schedulers.Work) error {
	if w == nil {
		t.refused.Add(1)
		return fmt.Errorf("%s: work is nil: %w", name, schedulers.ErrRejected)
	}
	if schedulers.Observed() && schedulers.Hears(w) {
		tell(schedulers.Submitted, home, w)
	}
	for {
		old := t.word.Load()
		if old&closedBit != 0 {
			t.refused.Add(1)
			tell(schedulers.Refused, home, w)
			return fmt.Errorf("%s: %w", name, schedulers.ErrShutdown)
		}
		if t.word.CompareAndSwap(old, old+unit) {
			return nil
		}
	}
}

func tell(k schedulers.EventKind, home schedulers.Scheduler, w schedulers.Work) {
	schedulers.Tell(schedulers.Event{Kind: k, Scheduler: home, Work: w})
}

// Refuse undoes the Enter of w: it was not accepted after all.
func (t *Tally) Refuse(home schedulers.Scheduler, w schedulers.Work) {
	t.refused.Add(1)
	tell(schedulers.Refused, home, w)
	t.leave()
}

// Abandon abandons w.
func (t *Tally) Abandon(home schedulers.Scheduler, w schedulers.Work, reason error) {
	t.abandoned.Add(1)
	tell(schedulers.Abandoned, home, w)
	w.Abandon(reason)
	t.leave()
}

// Run runs w and counts how it ends. A panic of w ends here. If w calls runtime.Goexit,
// the counts are right and Run does not return. e may be nil.
func (t *Tally) Run(w schedulers.Work, on schedulers.Worker, e EndListener) {
	t.begun.Add(1)
	defer t.containPanic(e)
	if schedulers.Observed() {
		w = &observedWork{w, t.WorkerPerItem}
	}
	if t.SkipRegistration {
		w.Run(on)
		return
	}
	schedulers.RunOn(w, on)
}

func (t *Tally) containPanic(e EndListener) { t.finish(e, recover() != nil) }

// RunThrough is Run for a scheduler on top of another one: the panic continues, so the
// scheduler beneath counts it too, and its observers see it.
func (t *Tally) RunThrough(w schedulers.Work, on, beneath schedulers.Worker, e EndListener) {
	t.begun.Add(1)
	defer t.passPanic(e)
	if schedulers.Observed() {
		w = &observedWork{w, t.WorkerPerItem}
	}
	schedulers.RunOnTop(w, on, beneath)
}

// observedWork wraps a work item whose run is reported as events.
type observedWork struct {
	schedulers.Work
	ownWorker bool // the start and end of its worker are reported, too
}

// Run implements [schedulers.Work].
func (t *observedWork) Run(on schedulers.Worker) {
	if t.ownWorker {
		schedulers.Tell(schedulers.EventOf(schedulers.WorkerStarted, on))
		defer schedulers.Tell(schedulers.EventOf(schedulers.WorkerEnded, on))
	}
	schedulers.RunTold(on.Scheduler(), t.Work, on)
}

// passPanic has to recover in order to distinguish a panic from a Goexit. It panics again while
// the frames of the first panic are still on the stack, so a stack captured further out
// shows the origin.
func (t *Tally) passPanic(e EndListener) {
	v := recover()
	t.finish(e, v != nil)
	if v != nil {
		panic(v)
	}
}

func (t *Tally) finish(e EndListener, panicked bool) {
	if panicked {
		t.panicked.Add(1)
	}
	t.completed.Add(1)
	if e != nil {
		e.HandleEnd()
	}
	t.leave()
}

func (t *Tally) leave() {
	if t.word.Add(-unit) == closedBit {
		t.complete()
	}
}

func (t *Tally) complete() {
	if t.OnDrained != nil {
		t.OnDrained()
	}
	close(t.done)
}

// Closed reports whether Shutdown has been called.
func (t *Tally) Closed() bool { return t.word.Load()&closedBit != 0 }

// Pending returns how many work items are accepted and not done.
func (t *Tally) Pending() int { return int(t.word.Load() / unit) }

// Close refuses all further work and returns a channel that is closed when the last
// work has ended.
func (t *Tally) Close() <-chan struct{} {
	t.mu.Lock()
	if t.done == nil {
		t.done = make(chan struct{})
	}
	t.mu.Unlock()
	if t.word.Or(closedBit) == 0 { // open and empty until now
		t.complete()
	}
	return t.done
}

// Shutdown is [schedulers.Shutdowner] for a scheduler whose workers need nothing else
// to end. If ctx ends first, giveUp is called, which abandons the queued work.
func (t *Tally) Shutdown(ctx context.Context, giveUp func()) error {
	return shutdown.Await(ctx, t.Close(), giveUp)
}

// Metrics returns the counters. Workers is the number of running work items,
// which is right if each running work has its own worker.
func (t *Tally) Metrics() schedulers.Metrics {
	m := schedulers.Metrics{
		Refused:   t.refused.Load(),
		Completed: t.completed.Load(),
		Abandoned: t.abandoned.Load(),
		Panicked:  t.panicked.Load(),
	}
	m.Running = t.begun.Load() - m.Completed // what has completed had begun before
	pending := uint64(t.Pending())
	m.Submitted = m.Completed + m.Abandoned + pending
	m.Queued = pending - min(pending, m.Running)
	m.Workers = m.Running
	return m
}
