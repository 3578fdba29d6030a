// Package budget is how many awaits of one run of a machine may be complete before the
// machine yields: see budget.go in package statemachine for the reasons.
//
// It is a package of its own because a search for schedules reduces the budget to
// nothing. Then every await is a point at which other work may come first, as it is on
// several processors. With the usual budget a lock that is free is taken, and released,
// within one step, and nothing can come between two of them.
package budget

import "sync/atomic"

// usual is the budget of a program. A turn in the queue costs some 30 ns and the
// machine's place on its worker; one in a thousand awaits is not measurable, and a
// thousand of them take some microseconds.
const usual = 1024

// searches is how many searches want every await to yield. On the usual processors a
// load of it costs what a load of the constant costs.
var searches atomic.Int32

// Spent reports whether a run that found n awaits complete has to yield. It does not block,
// and is safe for concurrent use.
func Spent(n int32) bool { return n >= usual || n > 0 && searches.Load() != 0 }

// EveryAwait makes every await of the process yield, until end is called. It does not
// block, and is safe for concurrent use; calls nest.
func EveryAwait() (end func()) {
	searches.Add(1)
	return func() { searches.Add(-1) }
}
