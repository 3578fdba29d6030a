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
// The work of both sides waits in one queue. The first item begins as soon as the running
// work allows it; the items behind it wait for it, even if they could begin. So neither
// side starves: a steady stream of one kind cannot overtake work of the other. The price
// is that alternating work runs one by one.
//
// Rejected: exclusive work first (as .NET's pair does), which lets a steady stream of
// it starve the concurrent side.
//
// # No worker waits
//
// Work that has to wait is held here instead of being submitted to the scheduler
// beneath. The work item whose end makes room submits it. A mutex in the work would have
// the same effect as a strand, but each waiter would hold a worker.
//
// # Other work runs during a wait
//
// Work that announces that it blocks ([schedulers.Blocker]) gives up its turn, and waits
// for another one before it continues. Otherwise work that waits for work of the same
// strand would wait forever. The same happens at an await of a generated machine: the
// machine suspends, and the strand is free. So the rule for code on a strand is the one
// for monitors: code must leave the state consistent at each wait and at each await, and
// the state may have changed afterwards. Between two of them no other work of the strand
// runs.
//
// The strand trusts the announcement. A context may be passed to another goroutine, which
// waits with it while the original work continues. The running work then loses its turn,
// and two work items run at a time. This cannot be detected here, because Go does not
// reveal which goroutine makes a call. Give such a goroutine a context that names no
// worker: its own, not that of the work.
//
// For the same reason, work is never run in place by its waiter: the caller only believes
// that it is the worker.
//
// The scheduler beneath decides whether a worker is available for the next turn. The wait
// is announced to it too, and its refusal is passed on.
package exclusive
