package shim

import (
	"fmt"

	"github.com/movenext/movenext/internal/books"
	"github.com/movenext/movenext/schedulers"
)

// Tickets is the reordering half of shims whose items are tickets; see the package's
// comment. I is what the shim's policy needs to know of each work.
type Tickets[I any] struct {
	Clock

	// Set before use.

	Name   string // of the shim's package, for errors
	Over   schedulers.Scheduler
	Policy Policy[I]
}

// Policy is a queue of works for which a ticket was accepted.
type Policy[I any] interface {
	// Put adds the work of t, unless Put was called for t before. The question
	// and the adding are one critical section: a caller that comes second must
	// find the work in the queue when Put returns.
	Put(t *Ticket[I])

	// Take removes and returns whose turn it is, or nil if there is none, which
	// happens after a Shutdown has given up what was queued.
	Take() *Ticket[I]
}

// Ticket is one work, and the right to run one. Work is nil once somebody has
// taken it out of the queue and begun with it.
type Ticket[I any] struct {
	Visit
	Work schedulers.Work
	Item I // the policy's

	tickets *Tickets[I]
	account *books.Books
	home    schedulers.Scheduler
}

// Submit submits a ticket for w, which has entered the books account and sees home as
// its scheduler. If the scheduler beneath refuses, it takes the Enter back and returns why.
//
// The hint's wish for a runner of its own does not go along: which work the ticket will run is
// not known yet. Neither does its worker, but for one that pumps: there it says what may be run
// on top of a wait, and the number of tickets is what matters.
func (ts *Tickets[I]) Submit(account *books.Books, home schedulers.Scheduler, w schedulers.Work, from schedulers.Hint, item I) (*Ticket[I], error) {
	t := &Ticket[I]{Work: w, Item: item, tickets: ts, account: account, home: home}
	err := schedulers.TrySubmit(ts.Over, t, schedulers.Hint{From: pumper(from.From), Flags: from.Flags &^ schedulers.LongRunning})
	if err != nil {
		account.Refuse()
		return nil, fmt.Errorf("%s: refused by the scheduler beneath: %w", ts.Name, err)
	}
	ts.Policy.Put(t)
	return t, nil
}

// pumper returns the worker at the bottom of w if that pumps, else nil.
func pumper(w schedulers.Worker) schedulers.Worker {
	bottom := Beneath(w)
	if _, ok := bottom.(schedulers.Pumper); ok {
		return bottom
	}
	return nil
}

// Run implements [schedulers.Work]: it runs whatever work has its turn.
func (t *Ticket[I]) Run(on schedulers.Worker) {
	t.tickets.Policy.Put(t)
	if turn := t.tickets.Policy.Take(); turn != nil {
		w := turn.take()
		turn.Arrive(turn.home, on)
		turn.account.RunThrough(w, &turn.Visit, nil)
	}
}

// Abandon implements [schedulers.Work]: the scheduler beneath runs one work less, and
// it is the policy's matter which one.
func (t *Ticket[I]) Abandon(reason error) {
	t.tickets.Policy.Put(t)
	if turn := t.tickets.Policy.Take(); turn != nil {
		turn.GiveUp(reason)
	}
}

// GiveUp abandons the work of a ticket that the caller has taken out of the queue.
func (t *Ticket[I]) GiveUp(reason error) { t.account.Abandon(t.take(), reason) }

// take lets go of the work: whoever keeps the ticket, because it is the worker in
// some context, does not keep the work.
func (t *Ticket[I]) take() schedulers.Work {
	w := t.Work
	t.Work = nil
	return w
}

// MayRunInPlace reports whether the scheduler beneath consents: where the waiter
// runs is where the work would have run, so the shim has nothing to add.
func (ts *Tickets[I]) MayRunInPlace(w schedulers.Work, by schedulers.Worker) bool {
	return MayRunInPlace(ts.Over, w, by)
}

// MayRunInPlace asks the scheduler over, if it can be asked, about the worker beneath by.
func MayRunInPlace(over schedulers.Scheduler, w schedulers.Work, by schedulers.Worker) bool {
	c, ok := over.(schedulers.Consenter)
	return ok && c.MayRunInPlace(w, Beneath(by))
}

// MaxConcurrency returns the limit of the scheduler over; 0: it has none, or does not say.
func MaxConcurrency(over schedulers.Scheduler) int {
	if l, ok := over.(schedulers.Limiter); ok {
		return l.MaxConcurrency()
	}
	return 0
}
