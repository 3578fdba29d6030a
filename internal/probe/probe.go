// Package probe says whether anybody watches what jobs, machines, locks and schedulers do.
//
// There is one word, and one way to ask: each step that somebody may watch is followed by
//
//	if probe.On(probe.Events) {
//		…
//	}
//
// which costs a load and a branch while nobody does. Who watches, and which of the steps, is
// found out behind that test.
package probe

import "sync/atomic"

// Watchers is a set of kinds of watchers.
type Watchers uint32

// The kinds. The bits below them are those of job.Diagnostics that a program has set for all
// jobs: a new job needs both, and loads one word.
const (
	Events    Watchers = 1 << (31 - iota) // of schedulers: schedulers.Observe
	Lives                                 // of jobs and machines: inspect.Observe
	Tables                                // of jobs and of suspended machines: inspect.Track
	Followers                             // schedulers that follow their machines
	Holders                               // reports that name the holders of locks
	Tickets                               // machines may be suspended with a ticket; never taken back

	Suspensions = Lives | Tables | Followers // who hears of a machine that suspends
	Resumptions = Tickets | Followers        // who hears of a machine that resumes

	all = Events | Lives | Tables | Followers | Holders | Tickets
)

var word struct {
	_ [64]byte // keeps variables that others write off its cache line
	atomic.Uint32
	_ [64]byte
}

// On reports whether any of these watch. It does not block.
func On(any Watchers) bool { return Watchers(word.Load())&any != 0 }

// OfJobs returns the bits of job.Diagnostics, and which of [Lives] and [Tables] watch.
func OfJobs() uint32 { return word.Load() &^ uint32(all&^(Lives|Tables)) }

// Set records whether the watchers of one kind watch. Its callers agree among themselves.
func Set(kind Watchers, watch bool) {
	if watch && kind&(Lives|Tables) != 0 {
		kind |= Tickets
	}
	if watch {
		word.Or(uint32(kind))
	} else {
		word.And(^uint32(kind))
	}
}

// SetDiagnostics replaces the bits of job.Diagnostics and returns the former ones.
func SetDiagnostics(bits uint32) (before uint32) {
	for {
		now := word.Load()
		if word.CompareAndSwap(now, now&uint32(all)|bits&^uint32(all)) {
			return now &^ uint32(all)
		}
	}
}
