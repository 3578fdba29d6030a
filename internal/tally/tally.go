// Package tally accounts for the work of a scheduler: what was accepted, how it ended,
// and whether all of it has ended, which is what Shutdown waits for.
//
// # One word decides
//
// Whether work may enter and whether all has ended are one question: with two
// variables, work could enter between "closed" and "nothing is left". So one word holds
// both, the number of work items that are accepted and not done, and the bit that says
// closed:
//
//	word = 2·pending + closed
//
//	Enter      adds 2, unless the bit is set
//	leave      subtracts 2; making it 1 is the last leave after the closing
//	close      sets the bit; finding 0 means that nothing was left
//
// After the bit is set the word only falls, so it falls to 1 once, or was 0 when the
// bit was set: done is closed exactly once.
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

	"github.com/movenext/movenext/internal/ending"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// Tally counts the work of one scheduler. The zero value is open and empty. All
// methods are safe for concurrent use, and none but Shutdown blocks.
type Tally struct {
	// Drained, if not nil, is called once: after Shutdown was called and the last
	// work has ended, before any Shutdown returns. It must not block. Set it
	// before use.
	Drained func()

	// Apart says that Run need not make [schedulers.Here] find the worker: each work item
	// has a goroutine of its own, whose waits hold up no other work, or the scheduler does
	// it for many work items at once. Set it before use.
	Apart bool

	// Each says that each work item has a worker of its own, whose events the tally tells
	// too. Set it before use.
	Each bool

	word    interleave.Int64
	running interleave.Int64

	refused, completed, abandoned, panicked interleave.Uint64

	mu   interleave.Mutex
	done chan struct{} // made by the first Shutdown, before the bit is set
}

const (
	closedBit = 1
	one       = 2
)

// Ender is notified when a run has ended, in whatever way. It is called before Shutdown
// can return because of that run. It must not block or panic.
type Ender interface{ Ended() }

// Enter accepts w on behalf of the scheduler home, whose errors begin with name, or
// returns why not: nil work is rejected, and nothing is accepted after Shutdown. Each
// Enter that returned nil is followed by exactly one of Run, RunThrough, Abandon and
// Refuse.
func (b *Tally) Enter(name string, home schedulers.Scheduler, w schedulers.Work) error {
	if w == nil {
		b.refused.Add(1)
		return fmt.Errorf("%s: work is nil: %w", name, schedulers.ErrRejected)
	}
	if schedulers.Observed() && schedulers.Hears(w) {
		tell(schedulers.Submitted, home, w)
	}
	for {
		old := b.word.Load()
		if old&closedBit != 0 {
			b.refused.Add(1)
			tell(schedulers.Refused, home, w)
			return fmt.Errorf("%s: %w", name, schedulers.ErrShutdown)
		}
		if b.word.CompareAndSwap(old, old+one) {
			return nil
		}
	}
}

func tell(k schedulers.EventKind, home schedulers.Scheduler, w schedulers.Work) {
	schedulers.Tell(schedulers.Event{Kind: k, Scheduler: home, Work: w})
}

// Refuse undoes the Enter of w: it was not accepted after all.
func (b *Tally) Refuse(home schedulers.Scheduler, w schedulers.Work) {
	b.refused.Add(1)
	tell(schedulers.Refused, home, w)
	b.leave()
}

// Abandon abandons w.
func (b *Tally) Abandon(home schedulers.Scheduler, w schedulers.Work, reason error) {
	b.abandoned.Add(1)
	tell(schedulers.Abandoned, home, w)
	w.Abandon(reason)
	b.leave()
}

// Run runs w and counts how it ends. A panic of w ends here. If w calls runtime.Goexit,
// the counts are right and Run does not return. A nil ender is not told.
func (b *Tally) Run(w schedulers.Work, on schedulers.Worker, e Ender) {
	b.running.Add(1)
	defer b.contain(e)
	if schedulers.Observed() {
		w = &told{w, b.Each}
	}
	if b.Apart {
		w.Run(on)
		return
	}
	schedulers.RunOn(w, on)
}

func (b *Tally) contain(e Ender) { b.ended(e, recover() != nil) }

// RunThrough is Run for a scheduler on top of another one: the panic continues, so the
// scheduler beneath counts it too, and its observers see it.
func (b *Tally) RunThrough(w schedulers.Work, on schedulers.Worker, e Ender) {
	b.running.Add(1)
	defer b.pass(e)
	if schedulers.Observed() {
		w = &told{w, b.Each}
	}
	schedulers.RunOn(w, on)
}

// told is a work item whose run is told as events.
type told struct {
	schedulers.Work
	each bool // and its worker's beginning and end
}

// Run implements [schedulers.Work].
func (t *told) Run(on schedulers.Worker) {
	if t.each {
		schedulers.Tell(schedulers.EventOf(schedulers.WorkerStarted, on))
		defer schedulers.Tell(schedulers.EventOf(schedulers.WorkerEnded, on))
	}
	schedulers.RunTold(on.Scheduler(), t.Work, on)
}

// pass has to recover to tell a panic from a Goexit. It panics again with the frames of
// the first panic still on the stack, so a stack taken further out shows where it
// began.
func (b *Tally) pass(e Ender) {
	v := recover()
	b.ended(e, v != nil)
	if v != nil {
		panic(v)
	}
}

func (b *Tally) ended(e Ender, panicked bool) {
	if panicked {
		b.panicked.Add(1)
	}
	b.running.Add(-1)
	b.completed.Add(1)
	if e != nil {
		e.Ended()
	}
	b.leave()
}

func (b *Tally) leave() {
	if b.word.Add(-one) == closedBit {
		b.drained()
	}
}

func (b *Tally) drained() {
	if b.Drained != nil {
		b.Drained()
	}
	close(b.done)
}

// Closed reports whether Shutdown has been called.
func (b *Tally) Closed() bool { return b.word.Load()&closedBit != 0 }

// Pending returns how many work items are accepted and not done.
func (b *Tally) Pending() int { return int(b.word.Load() / one) }

// Close refuses all further work and returns a channel that is closed when the last
// work has ended.
func (b *Tally) Close() <-chan struct{} {
	b.mu.Lock()
	if b.done == nil {
		b.done = make(chan struct{})
	}
	b.mu.Unlock()
	if b.word.Or(closedBit) == 0 { // open and empty until now
		b.drained()
	}
	return b.done
}

// Shutdown is [schedulers.Shutdowner] for a scheduler whose workers need nothing else
// to end. If ctx ends first, giveUp is called, which abandons what is queued.
func (b *Tally) Shutdown(ctx context.Context, giveUp func()) error {
	return ending.Await(ctx, b.Close(), giveUp)
}

// Metrics returns the counters. Workers is the number of running work items,
// which is right if each running work has its own worker.
func (b *Tally) Metrics() schedulers.Metrics {
	m := schedulers.Metrics{
		Refused:   b.refused.Load(),
		Completed: b.completed.Load(),
		Abandoned: b.abandoned.Load(),
		Panicked:  b.panicked.Load(),
		Running:   uint64(max(0, b.running.Load())),
	}
	pending := uint64(b.Pending())
	m.Submitted = m.Completed + m.Abandoned + pending
	m.Queued = pending - min(pending, m.Running)
	m.Workers = m.Running
	return m
}
