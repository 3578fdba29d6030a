// Package exclusive runs work that must not run beside other work, over any
// scheduler and without a lock that somebody waits for.
//
// A [Strand] runs its work one after the other, in the order of arrival: an actor, a
// connection, a document. A [Pair] has two sides, like a lock for readers and
// writers: what is submitted to the one side runs together with its like, what is submitted to the
// other runs alone.
//
//	          ┌─ Concurrent() ── many at a time ─┐
//	Pair ─────┤                                  ├──▶ the scheduler beneath
//	          └─ Exclusive() ─── one, alone ─────┘
//
// # In the order of arrival
//
// Both sides of a pair stand in one line. The first in line begins as soon as it may beside
// those that run; those behind it wait for it, even those that could begin. So
// neither side starves: exclusive work is not overtaken by concurrent work that goes on and on
// coming, nor the other way round. The price is that alternating work runs
// one by one.
//
// Rejected: exclusive work first (as .NET's pair does), under which a steady
// stream of it starves the concurrent side.
//
// # No worker waits
//
// Work that has to wait is not submitted to the scheduler beneath; it is held here, and
// the work whose end makes room submits it. A mutex in the work would do what a
// strand does, but each that waits for it would hold a worker.
//
// # Waiting is a point where others run
//
// Work that blocks in a wait and says so ([schedulers.Blocker]) gives its turn away
// and takes one again before it goes on. Else work that waits for work of the same strand
// would wait for ever. It is what happens at an await of a generated machine anyway: the machine suspends, and
// the strand is free. So the rule for code on a strand is the one for monitors: state is
// consistent at each wait and at each await, and may have changed after it. Between two of them
// nobody else runs.
//
// The wait is believed. A context that was given to another goroutine, which waits with
// it while the work that it came from works on, gives the turn away under the feet of that
// work, and then two run at a time. Nothing in Go tells on which goroutine one is, so this can
// not be detected here. Give such a goroutine a context that knows no worker:
// its own, not that of the work.
//
// For the same reason, work is never run in place by who waits for it: consent would have to be
// given to somebody who only believes to be the worker.
//
// Whether there is a worker for who gets the turn is up to the scheduler beneath; it
// is told of the wait too, and its refusal is passed on.
package exclusive
