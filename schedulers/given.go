package schedulers

import "github.com/movenext/movenext/internal/contract"

// Package dispatch has what the rest of this module needs besides the contract; see there. It
// imports this package, so what it needs from here is handed over.
func init() { //nolint:gochecknoinits // it breaks a cycle of imports
	contract.Schedulers = contract.Given[Scheduler, Worker, Work, Hint, *Home, Event, EventKind]{
		HomeOf: homeOf, HomeFor: homeFor, Same: same, Sound: sound, Offer: offer,
		Hears: hears, EventOf: eventOf, TellPause: tellPause,
		HereOn: hereOn, HoldsWorker: holdsWorker,
		Claim: claimEntry, RunIn: runIn, Release: func(entry int) { table[entry].leave() },
	}
}
