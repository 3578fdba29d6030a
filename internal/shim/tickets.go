package shim

import (
	"fmt"
	"sync/atomic"

	"github.com/movenext/movenext/internal/tally"
	"github.com/movenext/movenext/schedulers"
)

// Tickets is the common part of shims that reorder work; see the package comment.
type Tickets struct {
	Clock

	// Set before use.

	Name    string // of the shim's package, for errors
	Beneath schedulers.Scheduler
	Policy  Policy
}

// Policy is the queue of a shim: it holds the work items whose tickets were accepted.
type Policy interface {
	// Put adds the work of t, unless Put was called for t before. The check and the
	// addition are one critical section, so that the work has been in the queue when the
	// second call returns.
	Put(t *Ticket)

	// Next is Put, unless t is nil. It then removes and returns the next ticket to run, or
	// nil if none is left, which happens after a Shutdown has given up the queued work.
	Next(t *Ticket) *Ticket

	// Remove removes t, for which Put was called, and reports whether it was there.
	Remove(t *Ticket) bool

	// Account returns the counters of the scheduler that t was submitted to.
	Account(t *Ticket) *tally.Tally
}

// Ticket is one work item, and the right to run one. Work is nil once it has been
// taken out of the queue and begun.
//
// There may be a million tickets, so a ticket has few pointers: the policy finds its data
// about the work through the scheduler that the work was submitted to.
type Ticket struct {
	Worker
	Work   schedulers.Work
	Number uint64 // for use by the policy

	tickets *Tickets
	next    *Ticket       // in its queue
	state   atomic.Uint32 // written under the policy's lock
}

// Pushed reports whether t was put into a queue.
func (t *Ticket) Pushed() bool { return t.state.Load() != fresh }

// Submit submits a ticket for w, for which Enter was called on the tally of home, the
// scheduler that w sees. If the scheduler beneath refuses, Submit undoes that Enter and
// returns the reason.
//
// The LongRunning flag is not passed on: the work that the ticket will run is not known yet.
// The hint's worker is passed on only if it pumps. In that case the hint determines which
// work may be run on top of a wait, so the tickets have to carry it.
func (ts *Tickets) Submit(home schedulers.Scheduler, w schedulers.Work, from schedulers.Hint) error {
	t := &Ticket{Worker: Worker{home: home}, Work: w, tickets: ts}
	err := schedulers.TrySubmit(ts.Beneath, t, schedulers.Hint{From: pumper(from.From), Flags: from.Flags &^ schedulers.LongRunning})
	if err != nil {
		ts.Policy.Account(t).Refuse(home, w)
		return fmt.Errorf("%s: refused by the scheduler beneath: %w", ts.Name, err)
	}
	ts.Policy.Put(t)
	return nil
}

// pumper returns the worker at the bottom of w if it pumps, else nil.
func pumper(w schedulers.Worker) schedulers.Worker {
	bottom := Beneath(w)
	if _, ok := bottom.(schedulers.Pumper); ok {
		return bottom
	}
	return nil
}

// Run implements [schedulers.Work]: it runs the next work of the policy. On top of a wait,
// however, it runs its own work: the next item may be from outside and must not run there,
// and the wait may be for this very work. If its own work is gone, the ticket becomes a
// spare one, which runs another work item later.
func (t *Ticket) Run(worker schedulers.Worker) {
	ts := t.tickets
	if w, ok := Beneath(worker).(onTop); !ok || !w.OnTop() {
		ts.runNext(t, worker)
		return
	}
	ts.Policy.Put(t)
	if ts.Policy.Remove(t) {
		t.run(worker)
	} else if err := schedulers.TrySubmit(ts.Beneath, (*spareTicket)(ts), schedulers.Hint{}); err != nil {
		ts.giveUpNext(nil, err)
	}
}

// onTop is a worker that may run work on top of the wait of other work.
type onTop interface{ OnTop() bool }

// spareTicket is a ticket without a work item of its own.
type spareTicket Tickets

// Run implements [schedulers.Work].
func (s *spareTicket) Run(worker schedulers.Worker) { (*Tickets)(s).runNext(nil, worker) }

// Abandon implements [schedulers.Work].
func (s *spareTicket) Abandon(reason error) { (*Tickets)(s).giveUpNext(nil, reason) }

func (ts *Tickets) runNext(t *Ticket, worker schedulers.Worker) {
	if turn := ts.Policy.Next(t); turn != nil {
		turn.run(worker)
	}
}

// run runs the work of a ticket that the caller has removed from the queue.
func (t *Ticket) run(worker schedulers.Worker) {
	w := t.take()
	t.SetBeneath(worker)
	t.tickets.Policy.Account(t).RunThrough(w, &t.Worker, worker, nil)
}

// Abandon implements [schedulers.Work]: the scheduler beneath will run one work item fewer,
// and the policy decides which one is abandoned.
func (t *Ticket) Abandon(reason error) {
	t.tickets.giveUpNext(t, reason)
}

func (ts *Tickets) giveUpNext(t *Ticket, reason error) {
	if turn := ts.Policy.Next(t); turn != nil {
		turn.GiveUp(reason)
	}
}

// GiveUp abandons the work of a ticket that the caller has removed from the queue.
func (t *Ticket) GiveUp(reason error) {
	t.tickets.Policy.Account(t).Abandon(t.home, t.take(), reason)
}

// take returns the work and drops the reference to it: a context that keeps the ticket as
// its worker must not keep the work alive.
func (t *Ticket) take() schedulers.Work {
	w := t.Work
	t.Work = nil
	return w
}

// MayRunInPlace reports whether the scheduler beneath consents: the waiter runs where
// the work would have run, so the shim has nothing to add.
func (ts *Tickets) MayRunInPlace(w schedulers.Work, worker schedulers.Worker) bool {
	return MayRunInPlace(ts.Beneath, w, worker)
}

// MayRunInPlace reports whether the scheduler over is a Consenter and consents, for the
// worker beneath worker.
func MayRunInPlace(beneath schedulers.Scheduler, w schedulers.Work, worker schedulers.Worker) bool {
	c, ok := beneath.(schedulers.Consenter)
	return ok && c.MayRunInPlace(w, Beneath(worker))
}

// MaxConcurrency returns the limit of the scheduler over, or 0 if it has none or is no
// Limiter.
func MaxConcurrency(beneath schedulers.Scheduler) int {
	if l, ok := beneath.(schedulers.Limiter); ok {
		return l.MaxConcurrency()
	}
	return 0
}
