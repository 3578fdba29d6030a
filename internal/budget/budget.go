// Package budget is how many awaits of one run of a machine may be complete before the
// machine yields: see budget.go in package statemachine for the reasons. During a search for
// schedules it also has plain functions yield where machines do.
//
// It is a package of its own because a search for schedules reduces the budget to
// nothing. Then every await is a point at which other work may come first, as it is on
// several processors. With the usual budget a lock that is free is taken, and released,
// within one step, and nothing can come between two of them.
package budget

import (
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/schedulers"
)

// usual is the budget of a program. A pass through the queue costs some 30 ns and the
// machine's place on its worker; one in a thousand awaits is not measurable, and a
// thousand of them take some microseconds.
const usual = 1024

// ahead is the number with which a run begins to count: 0, or during a search so many that
// the first await is one too many. It is one number, not a number and a switch: a load and
// an addition at every await cost what a constant would.
var ahead atomic.Int32

// searches is how many searches want every await to yield.
var searches struct {
	sync.Mutex
	running int
}

// Spent reports whether a run that found n awaits complete has to yield. It does not block,
// and is safe for concurrent use.
func Spent(n int32) bool { return n+ahead.Load() >= usual }

// Searching reports whether every await of the process yields. It does not block, and is
// safe for concurrent use.
func Searching() bool { return ahead.Load() > 0 }

// Yield lets others come first during a search, if its simulation runs the calling goroutine: a
// plain function calls it before a wait that might end at once, and holding what it was given at
// once, where a machine would yield. It blocks until the caller is chosen again. Without a
// search it costs a load.
func Yield() {
	if Searching() {
		yield()
	}
}

// turner is a worker of a simulation.
type yielder interface{ Yield() }

func yield() {
	on := schedulers.HereOn(func(on schedulers.Worker) bool { _, is := on.(yielder); return is })
	if on != nil {
		on.(yielder).Yield()
	}
}

// EveryAwait makes every await of the process yield, until end is called, once. Machines
// that have nothing to do with the search yield too: a yield costs them a pass through the queue
// of their home, and is allowed at every await, so it changes nothing but their speed. It
// does not block, and is safe for concurrent use; calls nest.
func EveryAwait() (end func()) {
	search(+1)
	return func() { search(-1) }
}

func search(change int) {
	searches.Lock()
	defer searches.Unlock()
	searches.running += change
	if searches.running > 0 {
		ahead.Store(usual - 1)
	} else {
		ahead.Store(0)
	}
}
