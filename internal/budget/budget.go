// Package budget limits how many completed operations a machine may await in one run before
// it yields: see budget.go in package statemachine for the reasons. During a search for
// schedules it also makes plain functions yield where machines do.
//
// The budget has its own package because a search for schedules reduces it to nothing. Then
// other work may run first at every await, as on several processors. With the usual budget,
// a machine takes a free lock and releases it within one step, and no other work can run in
// between.
package budget

import (
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

// usual is the budget of a program. A yield costs some 30 ns and the machine's place on its
// worker. One yield in a thousand awaits is not measurable, and a thousand awaits take some
// microseconds.
const usual = 1024

// ahead is the number at which a run begins to count: 0, or during a search so many that
// the first await exceeds the budget. A single number, instead of a number and a switch,
// makes an await cost no more than a constant would: a load and an addition.
var ahead atomic.Int32

// searches counts the searches that make every await yield.
var searches struct {
	sync.Mutex
	running int
}

// Spent reports whether a run that has awaited n completed operations has to yield. It does
// not block, and is safe for concurrent use.
func Spent(n int32) bool { return n+ahead.Load() >= usual }

// Searching reports whether every await of the process yields. It does not block, and is
// safe for concurrent use.
func Searching() bool { return ahead.Load() > 0 }

// Yield lets other goroutines run first, during a search whose simulation runs the calling
// goroutine. A plain function calls it where a machine would yield: before a wait that might
// end at once, and after it was given a lock or a value without waiting. It blocks until the
// caller is chosen again. Without a search it costs a load.
func Yield() {
	if Searching() {
		yield()
	}
}

// yielder is a worker of a simulation.
type yielder interface{ Yield() }

func yield() {
	on := dispatch.HereOn(func(on schedulers.Worker) bool { _, is := on.(yielder); return is })
	if on != nil {
		on.(yielder).Yield()
	}
}

// EveryAwait makes every await of the process yield, until end is called, once. Machines that
// are not part of the search yield too. A yield costs them a pass through the queue of their
// home; it is allowed at every await, so only their speed changes. It does not block, and is
// safe for concurrent use; calls nest.
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
