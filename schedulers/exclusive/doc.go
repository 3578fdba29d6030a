// Package exclusive runs work that must not run concurrently with other work, over any
// scheduler and without a lock that blocks goroutines.
//
// A [Strand] runs its work one after the other, in the order of arrival: an
// actor, a connection, a document. A [Pair] has two sides, like a lock for
// readers and writers: work of one side may run together, work of the other side
// runs alone.
//
//	          ┌─ Concurrent() ── many at a time ─┐
//	Pair ─────┤                                  ├──▶ the scheduler beneath
//	          └─ Exclusive() ─── one, alone ─────┘
//
// # In the order of arrival
//
// Both sides of a pair wait in one queue. The first in it begins as soon as the
// running work items allow it; those behind it wait for it, even those that could
// begin. So neither side starves: a steady stream of one kind cannot overtake
// work of the other. The price is that alternating work runs one by one.
//
// Rejected: exclusive work first (as .NET's pair does), which lets a steady stream of
// it starve the concurrent side.
//
// # No worker waits
//
// Work that has to wait is not submitted to the scheduler beneath; it is held here, and
// the work whose end makes room submits it. A mutex in the work would have the same
// effect as a strand, but each waiter would hold a worker.
//
// # Other work runs during a wait
//
// Work that blocks in a wait and says so ([schedulers.Blocker]) gives its turn up
// and waits for another one before it continues. Otherwise work that waits for
// work of the same strand would wait forever. The same happens at an await of a
// generated machine: the machine suspends, and the strand is free. So the rule
// for code on a strand is the one for monitors: the state is consistent at each
// wait and at each await, and may have changed after it. Between two of them no
// other work of the strand runs.
//
// The wait is taken at its word. A context may be given to another goroutine,
// which waits with it while the work that it came from continues. That takes the
// turn away from the running work, and then two work items run at a time. Go does
// not tell on which goroutine a call runs, so this cannot be detected here. Give
// such a goroutine a context that names no worker: its own, not that of the work.
//
// For the same reason, work is never run in place by its waiter: consent would be given
// to a caller that only believes it is the worker.
//
// The scheduler beneath decides whether a worker is available for the next turn;
// it is told of the wait too, and its refusal is passed on.
package exclusive
