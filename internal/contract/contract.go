// Package contract is the part of the contract between work and schedulers that package
// schedulers shares with the rest of this module, and shows to nobody else. It knows no type of
// package schedulers, which imports it; package dispatch, above both, gives it those types.
package contract

import "context"

// Key is the type of the keys under which a context carries values for schedulers.
type Key int

// The keys.
const (
	SchedulerKey Key = iota + 1 // a Scheduler, perhaps a *Home: see schedulers.FromContext
	WorkerKey                   // a Worker: see schedulers.WorkerFrom
	ReasonKey                   // of a wait: a probe.Reasoner, the operation that it waits for
	yieldKey                    // of a wait that yields
)

// Yielding is the context of the waits that yield.
var Yielding = context.WithValue(context.Background(), yieldKey, true)

// Yields reports whether ctx is [Yielding]: the work that waits with it wants other work to run
// first. A Pumper may then run whatever is queued, in its order. During other waits some of
// that may have to stay queued: it may need a lock that the waiting work holds. A nil ctx
// yields nothing. It does not block.
func Yields(ctx context.Context) bool { return ctx != nil && ctx.Value(yieldKey) != nil }

// Given are the functions of package schedulers for package dispatch, which documents them. The
// parameters are types of package schedulers: Scheduler, Worker, Work, Hint, *Home, Event and
// EventKind.
type Given[S, R, W, H, Home, E, K any] struct {
	HomeOf  func(context.Context) Home
	HomeFor func(S) Home
	Same    func(a, b S) bool
	Sound   func(S) bool
	Offer   func(s S, w W, from H) error

	Hears     func(W) bool
	EventOf   func(K, R) E
	TellPause func(w R, begin, end K) (ended func())

	HereOn      func(accepted func(R) bool) R
	HoldsWorker func(R) bool

	// Of the entries in which a worker is found: Claim returns the number of an entry that was
	// free, or -1; RunIn is Run of w with on in the entry, inUse meanwhile;
	// Release makes it free again.
	Claim   func() int
	RunIn   func(entry int, inUse *bool, w W, on R)
	Release func(entry int)
}

// Schedulers is a [Given], from the initialisation of package schedulers on.
var Schedulers any
