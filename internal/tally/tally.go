// Package tally counts the work of a scheduler: how much was accepted, how it ended, and
// whether all of it has ended, which is what Shutdown waits for.
//
// # Two counters, and a bit in one of them
//
// Whether work may enter and whether all work has ended must be decided together: with
// separate variables, work could enter between "closed" and "nothing is left". But one word
// for both would move between the processors of submitters and of workers twice for each work
// item. So submitters write one variable, and workers another:
//
//	entered = 2·(work items that entered) + closed
//	left    = work items that have run and left
//	pending = entered/2 − left
//
// Work that leaves in another way is subtracted from entered.
//
// A scheduler that takes a lock for each work item anyway counts what enters under that lock
// (CountEntered), and that count is added to entered/2.
//
//	# Work that leaves                    # Close
//
//	L1 add to left, or subtract           C1 set the bit in entered: nothing enters from now on
//	   from entered                       C2 phase = closing
//	L2 if phase is closing and nothing    C3 if nothing is pending: phase = drained, by CAS,
//	   is pending: phase = drained, by       and end
//	   CAS, and end
//
// The end comes: of the last L1 and C2, one is later in the order of all atomic operations, and
// L2 or C3 after it sees both. It does not come too early: after C1 pending never grows, and it
// is read from left first, so what is read is at least what was pending at the second read. It
// comes once, since one CAS from closing to drained succeeds.
//
// With CountEntered, work may be counted after C1 if the bit was read before, under the lock. L2
// and C3 take that lock after C1: either they see the count, or the lock is taken for the work
// after them, and the bit is read as set.
//
// The tempting alternative is a sync.WaitGroup next to a flag: Add then races Wait in
// exactly the case in which it must not.
//
// # What is counted
//
//	Enter ─▶ pending ─┬─ Run ─▶ running ─▶ completed (and panicked)
//	                  ├─ Abandon ────────▶ abandoned
//	                  └─ Refuse ─────────▶ refused: the scheduler beneath did not accept it
//
// A run without a listener completes and leaves in one step: silent counts these. With one, the
// run has completed before the listener hears of it (heard), and leaves after that (heardLeft).
// So left is silent + heardLeft, and completed is silent + heard.
package tally

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/probe"
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

	// CountTaken, if not nil, returns how many work items were taken out of a queue, to be
	// run with RunThrough or abandoned: the scheduler counts them under the lock of its
	// queue, which it holds at that moment anyway. Set it before use.
	CountTaken func() uint64

	// CountEntered, if not nil, returns how many work items the scheduler has counted as
	// entered: see Prepare. It takes the lock under which they are counted. Set it before use.
	CountEntered func() uint64

	refused, abandoned, panicked interleave.Uint64

	mu   interleave.Mutex
	done chan struct{} // made by the first Shutdown, before the bit is set

	// Submitters write entered, and workers the line after it: each write takes the cache
	// line away from the others.
	_       [64]byte
	entered interleave.Int64
	_       [64]byte

	begun                    interleave.Uint64 // by Run
	silent, heard, heardLeft interleave.Uint64
	phase                    interleave.Uint32
	_                        [64]byte
}

const (
	closedBit = 1
	unit      = 2
)

// The phases.
const (
	open    = iota
	closing // the bit is set
	drained // nothing is pending
)

// EndListener is notified when a run has ended, in whatever way. HandleEnd is called before
// Shutdown can return because of that end. It must not block or panic.
type EndListener interface{ HandleEnd() }

// Enter accepts w on behalf of the scheduler home, whose errors begin with name, or returns
// the reason of a refusal: nil work is rejected, and no work is accepted after Shutdown.
// Each Enter that returned nil must be followed by exactly one call of Run, RunThrough,
// Abandon or Refuse.
func (t *Tally) Enter(name string, home schedulers.Scheduler, w schedulers.Work) error {
	if err := t.Prepare(name, home, w); err != nil {
		return err
	}
	for {
		old := t.entered.Load()
		if old&closedBit != 0 {
			return t.RefuseClosed(name, home, w)
		}
		if t.entered.CompareAndSwap(old, old+unit) {
			return nil
		}
	}
}

// Prepare is the part of Enter before w is counted, for a scheduler that counts it itself for
// CountEntered: under its own lock, it must then find the tally not Closed, and otherwise call
// RefuseClosed without the lock.
func (t *Tally) Prepare(name string, home schedulers.Scheduler, w schedulers.Work) error {
	if w == nil {
		t.refused.Add(1)
		return fmt.Errorf("%s: work is nil: %w", name, schedulers.ErrRejected)
	}
	if probe.On(probe.Events) {
		tell(schedulers.Submitted, home, w)
	}
	return nil
}

// RefuseClosed counts w as refused and returns the reason: the tally is closed.
func (t *Tally) RefuseClosed(name string, home schedulers.Scheduler, w schedulers.Work) error {
	t.refused.Add(1)
	tell(schedulers.Refused, home, w)
	return fmt.Errorf("%s: %w", name, schedulers.ErrShutdown)
}

func tell(k schedulers.EventKind, home schedulers.Scheduler, w schedulers.Work) {
	schedulers.Tell(schedulers.Event{Kind: k, Scheduler: home, Work: w})
}

// Refuse undoes the Enter of w: it was not accepted after all.
func (t *Tally) Refuse(home schedulers.Scheduler, w schedulers.Work) {
	t.refused.Add(1)
	tell(schedulers.Refused, home, w)
	t.subtract()
}

// Abandon abandons w.
func (t *Tally) Abandon(home schedulers.Scheduler, w schedulers.Work, reason error) {
	t.abandoned.Add(1)
	tell(schedulers.Abandoned, home, w)
	w.Abandon(reason)
	t.subtract()
}

// subtract records that work has left without having run.
func (t *Tally) subtract() {
	t.entered.Add(-unit)
	t.endIfDrained()
}

// Run runs w and counts how it ends. A panic of w ends here. If w calls runtime.Goexit,
// the counts are right and Run does not return. e may be nil.
func (t *Tally) Run(w schedulers.Work, on schedulers.Worker, e EndListener) {
	t.begun.Add(1)
	defer t.containPanic(e)
	if probe.On(probe.Events) {
		w = &observedWork{w, t.WorkerPerItem}
	}
	if t.SkipRegistration {
		w.Run(on)
		return
	}
	schedulers.RunOn(w, on)
}

func (t *Tally) containPanic(e EndListener) { t.finish(e, recover() != nil) }

// RunThrough is Run for a scheduler on top of another one, on top of whose worker beneath w
// runs. The panic continues, so the scheduler beneath counts it too, and its observers see it.
func (t *Tally) RunThrough(w schedulers.Work, on, beneath schedulers.Worker, e EndListener) {
	if t.CountTaken == nil {
		t.begun.Add(1)
	}
	defer t.passPanic(e)
	if probe.On(probe.Events) {
		w = &observedWork{w, t.WorkerPerItem}
	}
	dispatch.RunOnTop(w, on, beneath)
}

// observedWork wraps a work item whose run is reported as events.
type observedWork struct {
	schedulers.Work
	ownWorker bool // the start and end of its worker are reported, too
}

// Run implements [schedulers.Work].
func (t *observedWork) Run(on schedulers.Worker) {
	if t.ownWorker {
		schedulers.Tell(dispatch.EventOf(schedulers.WorkerStarted, on))
		defer schedulers.Tell(dispatch.EventOf(schedulers.WorkerEnded, on))
	}
	dispatch.RunTold(on.Scheduler(), t.Work, on)
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
	if e == nil {
		t.silent.Add(1)
	} else {
		t.heard.Add(1)
		e.HandleEnd()
		t.heardLeft.Add(1)
	}
	t.endIfDrained()
}

// endIfDrained is L2 and C3 of the package comment.
func (t *Tally) endIfDrained() {
	if t.phase.Load() == closing && t.Pending() == 0 && t.phase.CompareAndSwap(closing, drained) {
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
func (t *Tally) Closed() bool { return t.entered.Load()&closedBit != 0 }

// Pending returns how many work items are accepted and not done.
func (t *Tally) Pending() int {
	left := int(t.silent.Load() + t.heardLeft.Load()) // first: nothing leaves before it enters
	entered := int(t.entered.Load() >> 1)
	if t.CountEntered != nil {
		entered += int(t.CountEntered())
	}
	return entered - left
}

// Close refuses all further work and returns a channel that is closed when the last
// work has ended.
func (t *Tally) Close() <-chan struct{} {
	t.mu.Lock()
	if t.done == nil {
		t.done = make(chan struct{})
	}
	t.mu.Unlock()
	t.entered.Or(closedBit)
	t.phase.CompareAndSwap(open, closing)
	t.endIfDrained()
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
		Completed: t.silent.Load() + t.heard.Load(),
		Abandoned: t.abandoned.Load(),
		Panicked:  t.panicked.Load(),
	}
	// What has completed had begun, and was taken, before.
	if t.CountTaken != nil {
		taken := t.CountTaken()
		m.Running = taken - min(taken, m.Completed+m.Abandoned)
	} else {
		m.Running = t.begun.Load() - m.Completed
	}
	pending := uint64(t.Pending())
	m.Submitted = m.Completed + m.Abandoned + pending
	m.Queued = pending - min(pending, m.Running)
	m.Workers = m.Running
	return m
}
