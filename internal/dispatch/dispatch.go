// Package dispatch is what the schedulers and the runtime of this module say to each other,
// beyond the contract in package schedulers. Programs and schedulers from elsewhere need none of
// it, and do not find it in the documentation.
//
// All of it is optional: code that uses a capability checks for it with a type assertion, and has
// a fallback if it is missing. A scheduler or worker from elsewhere that has a method of that
// shape is found too. The table groups the interfaces by the code that calls them, and names the
// schedulers of this module whose scheduler or worker has them:
//
//	package job, about a submission
//	  Admitter     may work run without being queued?       pool
//	  Leaver       the current work is about to end         pool
//	package job, about a wait
//	  Reclaimer    may a waiter take queued work back?      pool
//	Wait, for each wait that blocks a goroutine
//	  HomeBlocker  the worker waits for a scheduler's work  cancellable, dedicated, exclusive,
//	                                                        limited, observed, priority,
//	                                                        roundrobin, workset
//	package statemachine
//	  Keeper       has the worker room for an object?       dedicated, pool, workstealing
//	  Successor    would it run this work item next?        pool
//	  Follower     a machine suspends, or resumes           simulation
//	package parallel
//	  InPlacer     does Submit run the work?                inline, pool
//	packages of schedulers on top of others
//	  Repeater     may work be queued twice?                pool
//	ReportPanic
//	  PanicHearer  work has recovered a panic               observed, simulation
package dispatch

import (
	"context"

	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/schedulers"
)

// given are the functions of package schedulers for this one.
var given = contract.Schedulers.(contract.Given[schedulers.Scheduler, schedulers.Worker, schedulers.Work,
	schedulers.Hint, *schedulers.Home, schedulers.Event, schedulers.EventKind])

// HomeOf is [schedulers.FromContext] for callers that keep the result. It makes a Home if the
// context has none, as contexts of other packages may. It returns nil if no scheduler
// was set, and does not block.
func HomeOf(ctx context.Context) *schedulers.Home { return given.HomeOf(ctx) }

// HomeFor returns the Home of s: s itself, if s is a Home that was read from a context. s
// must not be nil.
func HomeFor(s schedulers.Scheduler) *schedulers.Home { return given.HomeFor(s) }

// FollowerOf returns the scheduler that is notified of the suspended machines of h, or nil.
func FollowerOf(h *schedulers.Home) probe.Follower {
	if !probe.On(probe.Followers) {
		return nil
	}
	return h.Follower
}

// Same reports whether a and b are the same scheduler, where a [schedulers.Home] counts as
// the scheduler that it refers to. It returns false for schedulers whose type cannot be
// compared; the operator == would panic. Most schedulers are pointers, for which Same
// costs about as much as ==. It does not block, and may be called from any goroutine.
func Same(a, b schedulers.Scheduler) bool { return given.Same(a, b) }

// TryOffer is [schedulers.TrySubmit] without a ticket, for work that is its own ticket: its
// submitter can take it back, so that a later Run or Abandon does nothing. A job is such work.
// After a [*schedulers.SubmitPanicError] the caller does not know whether s has accepted w; any
// other error is a refusal.
func TryOffer(s schedulers.Scheduler, w schedulers.Work, from schedulers.Hint) error {
	return given.Offer(s, w, from)
}

// HereOn is [schedulers.Here] for the innermost worker for which accepted returns true. A
// goroutine may be on several workers at once, if work has called a scheduler that runs other
// work in place. accepted must not block.
func HereOn(accepted func(schedulers.Worker) bool) schedulers.Worker { return given.HereOn(accepted) }

// PlaceOf returns where s is suspended.
func PlaceOf(s probe.Suspension) schedulers.Place {
	function, file, line := s.Where()
	return schedulers.Place{Function: function, File: file, Line: line}
}

// NewHook0 is [schedulers.NewHook] for a function without parameters.
func NewHook0(name string, f func()) schedulers.Hook[struct{}] {
	if f == nil {
		return schedulers.Hook[struct{}]{}
	}
	return schedulers.NewHook(name, func(struct{}) { f() })
}
