package shim

import (
	"fmt"

	"github.com/movenext/movenext/internal/tally"
	"github.com/movenext/movenext/schedulers"
)

// Tickets is the common part of shims that reorder work; see the package comment. Call Init
// before use.
type Tickets struct {
	TicketHome

	// Constant after Init.

	Beneath schedulers.Scheduler
	home    schedulers.Scheduler // Beneath as a Home, which knows that its Submit is sound
	name    string               // of the shim's package, for errors
	policy  Policy
}

// Init sets the name of the shim, the scheduler beneath, and the queue. A nil beneath refuses
// everything.
func (ts *Tickets) Init(name string, beneath schedulers.Scheduler, policy Policy) {
	ts.name, ts.Beneath, ts.policy = name, beneath, policy
	if beneath != nil {
		ts.home = schedulers.HomeFor(beneath)
	}
	ts.SetOver(beneath)
	ts.tickets = ts
}

// Policy is the queue of a shim: it holds the work items whose tickets were accepted.
type Policy interface {
	// Put adds the work of t, unless Put was called for t before. The check and the
	// addition are one critical section, so that the work has been in the queue when the
	// second call returns.
	Put(t *Ticket)

	// Next is Put, unless t is nil. It then removes and returns the next ticket to run, or
	// nil if none is left, which happens after a Shutdown has given up the queued work. Like
	// Remove, it counts the ticket as taken; see tally.Tally.
	Next(t *Ticket) *Ticket

	// Remove removes t, for which Put was called, and reports whether it was there.
	Remove(t *Ticket) bool

	// Account returns the counters of the scheduler that t was submitted to.
	Account(t *Ticket) *tally.Tally
}

// Ticket is one work item, and the right to run one. Work is nil once it has been
// taken out of the queue and begun.
//
// There may be a million tickets, so a ticket is 64 bytes, one cache line, with few pointers: the
// policy finds its data about the work through the scheduler that the work was submitted to, and
// the ticket its Tickets.
type Ticket struct {
	Worker
	Work schedulers.Work

	// Guarded by the policy's lock.
	next  *Ticket // in its queue
	stamp uint64  // a number, for use by the policy, and the state in the lowest bits
}

// Number returns the number that SetNumber has set, or 0. The policy's lock is held.
func (t *Ticket) Number() uint64 { return t.stamp >> stateBits }

// SetNumber sets a number below 2⁶², for use by the policy. The policy's lock is held.
func (t *Ticket) SetNumber(n uint64) { t.stamp = n<<stateBits | t.state() }

func (t *Ticket) state() uint64 { return t.stamp & (1<<stateBits - 1) }

func (t *Ticket) setState(s uint64) { t.stamp += s - t.state() }

// ticketsOf returns the Tickets of t's home.
func (t *Ticket) ticketsOf() *Tickets {
	return t.home.(interface{ ticketsOf() *Tickets }).ticketsOf()
}

// Submit submits a ticket for w, for which Enter was called on the tally of home, the
// scheduler that w sees. If the scheduler beneath refuses, Submit undoes that Enter and
// returns the reason.
//
// The LongRunning flag is not passed on: the work that the ticket will run is not known yet.
// The hint's worker is passed on only if it pumps. In that case the hint determines which
// work may be run on top of a wait, so the tickets have to carry it.
func (ts *Tickets) Submit(home schedulers.Scheduler, w schedulers.Work, from schedulers.Hint) error {
	t := &Ticket{Worker: Worker{home: home}, Work: w}
	err := schedulers.TrySubmit(ts.home, t, schedulers.Hint{From: pumper(from.From), Flags: from.Flags &^ schedulers.LongRunning})
	if err != nil {
		ts.policy.Account(t).Refuse(home, w)
		return fmt.Errorf("%s: refused by the scheduler beneath: %w", ts.name, err)
	}
	ts.policy.Put(t)
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
	ts := t.ticketsOf()
	if w, ok := Beneath(worker).(onTop); !ok || !w.OnTop() {
		ts.runNext(t, worker)
		return
	}
	ts.policy.Put(t)
	if ts.policy.Remove(t) {
		t.run(worker)
	} else if err := schedulers.TrySubmit(ts.home, (*spareTicket)(ts), schedulers.Hint{}); err != nil {
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
	if turn := ts.policy.Next(t); turn != nil {
		turn.run(worker)
	}
}

// run runs the work of a ticket that the caller has removed from the queue.
func (t *Ticket) run(worker schedulers.Worker) {
	w := t.take()
	t.SetBeneath(worker)
	t.ticketsOf().policy.Account(t).RunThrough(w, &t.Worker, worker, nil)
}

// Abandon implements [schedulers.Work]: the scheduler beneath will run one work item fewer,
// and the policy decides which one is abandoned.
func (t *Ticket) Abandon(reason error) {
	t.ticketsOf().giveUpNext(t, reason)
}

func (ts *Tickets) giveUpNext(t *Ticket, reason error) {
	if turn := ts.policy.Next(t); turn != nil {
		turn.GiveUp(reason)
	}
}

// GiveUp abandons the work of a ticket that the caller has removed from the queue.
func (t *Ticket) GiveUp(reason error) {
	t.ticketsOf().policy.Account(t).Abandon(t.home, t.take(), reason)
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
