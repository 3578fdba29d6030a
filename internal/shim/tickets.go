package shim

import (
	"fmt"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/tally"
	"github.com/movenext/movenext/schedulers"
)

// Tickets is the common part of shims that reorder work; see the package comment. Call Init
// before use.
type Tickets struct {
	Clock

	// Constant after Init.

	Beneath schedulers.Scheduler
	home    schedulers.Scheduler // Beneath as a Home, which knows that its Submit is sound
	name    string               // of the shim's package, for errors
	policy  Policy
	shared  bool   // ticket may be submitted again while it is queued
	ticket  ticket // of these Tickets
}

// Init sets the name of the shim, the scheduler beneath, and the queue. A nil beneath refuses
// everything.
func (ts *Tickets) Init(name string, beneath schedulers.Scheduler, policy Policy) {
	ts.name, ts.Beneath, ts.policy = name, beneath, policy
	if beneath != nil {
		ts.home = dispatch.HomeFor(beneath)
	}
	ts.shared, ts.ticket = dispatch.AcceptsRepeats(beneath), ticket{ts}
	ts.SetOver(beneath)
}

// Policy is the queue of a shim. Its home of a work item is the scheduler that the work was
// submitted to.
type Policy interface {
	// Put adds w and returns its number, by which Remove finds it.
	Put(home schedulers.Scheduler, w schedulers.Work) (number uint64)

	// Next removes and returns the next work item to run, or nil if none is left: then a
	// Surplus is used up. It counts the work as taken; see tally.Tally.
	Next() (w schedulers.Work, home schedulers.Scheduler)

	// Remove removes and returns the work with that number, which it counts as taken, or
	// returns nil if it was removed before.
	Remove(home schedulers.Scheduler, number uint64) schedulers.Work

	// Withdraw is Remove for work whose ticket was refused, and which is not counted. If the
	// work was removed before, Withdraw returns whether a Surplus is used up for the ticket.
	Withdraw(home schedulers.Scheduler, number uint64) (w schedulers.Work, surplus bool)

	// Account returns the counters of home.
	Account(home schedulers.Scheduler) *tally.Tally
}

// Surplus counts tickets without a work item: a Shutdown has given that up. A policy adds the
// number of items that it gives up, under its lock. It is exact, since the tickets that are
// queued beneath, or being submitted, are always as many as the queued items and the surplus.
type Surplus int

// Use reports whether a ticket that was refused, or has found no work, was a surplus one, and
// subtracts it then. The policy's lock is held.
func (s *Surplus) Use() bool {
	if *s == 0 {
		return false
	}
	*s--
	return true
}

// Submit puts w, for which Enter was called on the tally of home, into the queue, and submits a
// ticket for it. If the scheduler beneath refuses that, Submit undoes both and returns the reason.
//
// The LongRunning flag is not passed on: the work that the ticket will run is not known yet.
// The hint's worker is passed on only if it pumps. In that case the hint determines which
// work may be run on top of a wait, so the tickets have to carry it.
func (ts *Tickets) Submit(home schedulers.Scheduler, w schedulers.Work, from schedulers.Hint) error {
	number := ts.policy.Put(home, w)
	hint := schedulers.Hint{From: pumper(from.From), Flags: from.Flags &^ schedulers.LongRunning}
	err := schedulers.TrySubmit(ts.home, ts.ticketFor(home, number), hint)
	if err == nil {
		return nil
	}
	left, surplus := ts.policy.Withdraw(home, number)
	if left == nil {
		if !surplus { // the ticket of another work item has taken w
			ts.replace(schedulers.Resumed)
		}
		return nil
	}
	ts.policy.Account(home).Refuse(home, w)
	return fmt.Errorf("%s: refused by the scheduler beneath: %w", ts.name, err)
}

// pumper returns the worker at the bottom of w if it pumps, else nil.
func pumper(w schedulers.Worker) schedulers.Worker {
	bottom := Beneath(w)
	if _, ok := bottom.(schedulers.Pumper); ok {
		return bottom
	}
	return nil
}

// replace submits one more ticket, because one was refused, or could not be used, whose work
// item another ticket has taken. If this one is refused, too, which only a Shutdown beneath should
// do, a work item of the queue has no ticket, and the policy decides which one is abandoned.
func (ts *Tickets) replace(flags schedulers.Flags) {
	if err := schedulers.TrySubmit(ts.home, ts.spare(), schedulers.Hint{Flags: flags}); err != nil {
		ts.giveUpNext(fmt.Errorf("%s: %w: refused by the scheduler beneath: %w", ts.name, schedulers.ErrShutdown, err))
	}
}

// ticketFor returns a ticket for a work item.
func (ts *Tickets) ticketFor(home schedulers.Scheduler, number uint64) schedulers.Work {
	if ts.sharesNow() {
		return &ts.ticket
	}
	return &boundTicket{ticket{ts}, home, number}
}

// spare returns a ticket without a work item of its own.
func (ts *Tickets) spare() schedulers.Work {
	if ts.sharesNow() {
		return &ts.ticket
	}
	return &ticket{ts}
}

// sharesNow reports whether all tickets are one object: it makes no difference to the scheduler
// beneath, and no listener hears its events, which must be about single tickets.
func (ts *Tickets) sharesNow() bool { return ts.shared && !probe.On(probe.Events) }

// ticket is the right to run one work item.
type ticket struct{ *Tickets }

// Run implements [schedulers.Work]: it runs the next work of the policy.
func (t *ticket) Run(worker schedulers.Worker) { t.runNext(worker) }

// Abandon implements [schedulers.Work]: the scheduler beneath will run one work item fewer,
// and the policy decides which one is abandoned.
func (t *ticket) Abandon(reason error) { t.giveUpNext(reason) }

// Name implements [schedulers.Named], for pictures of the scheduler beneath.
func (t *ticket) Name() string { return "ticket" }

// boundTicket is a ticket that knows the work that it was submitted for.
type boundTicket struct {
	ticket

	home   schedulers.Scheduler
	number uint64
}

// Run implements [schedulers.Work]: it runs the next work of the policy. On top of a wait,
// however, it runs its own work: the next item may be from outside and must not run there,
// and the wait may be for this very work.
//
// If its own work is gone, a ticket without work takes its place, which runs the next item,
// even on top of the wait: the thread that waits has one ticket less than it has queued items,
// and might otherwise wait forever for the last of them. This is the one case in which work
// from outside may run there. (A ticket that waits until the thread is free instead ends no
// such wait.)
func (t *boundTicket) Run(worker schedulers.Worker) {
	if w, ok := Beneath(worker).(onTop); !ok || !w.OnTop() {
		t.runNext(worker)
	} else if w := t.policy.Remove(t.home, t.number); w != nil {
		t.run(w, t.home, worker)
	} else {
		t.replace(0)
	}
}

// onTop is a worker that may run work on top of the wait of other work.
type onTop interface{ OnTop() bool }

func (ts *Tickets) runNext(worker schedulers.Worker) {
	if w, home := ts.policy.Next(); w != nil {
		ts.run(w, home, worker)
	}
}

// run runs work that the caller has removed from the queue.
func (ts *Tickets) run(w schedulers.Work, home schedulers.Scheduler, worker schedulers.Worker) {
	ts.policy.Account(home).RunThrough(w, visibleWorker(home, worker), worker, nil)
}

// visibleWorker returns the worker that work of home sees on a worker beneath. It says nothing
// of the work and never changes, so the next work of that home there sees the same one, and a
// context may keep it.
func visibleWorker(home schedulers.Scheduler, beneath schedulers.Worker) *Worker {
	room := dispatch.TopOf(beneath)
	if room == nil {
		v := &Worker{home: home}
		v.SetBeneath(beneath)
		return v
	}
	v, ok := (*room).(*Worker)
	if !ok || v.home != home {
		v = &Worker{home, beneath}
		*room = v
	}
	return v
}

func (ts *Tickets) giveUpNext(reason error) {
	if w, home := ts.policy.Next(); w != nil {
		ts.policy.Account(home).Abandon(home, w, reason)
	}
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
