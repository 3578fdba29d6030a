// Package limited bounds the number of work items that run at a time, over any
// scheduler: ten of a pool's hundred workers for thumbnails, say. With a limit of
// one, work runs one after the other in the order of arrival.
//
// It counts running work. A machine that waits does not run: a hundred of them may be
// in the middle of a query with a limit of three. To count them from start to end, use
// Scope.Limit of package job, the option Degree of package parallel, or a Limiter of
// package coord.
//
// # How
//
// Work below the limit is submitted to the scheduler beneath at once. Work above
// it waits here, first come, first served, and each work item that ends submits
// the next: one submission beneath for each work item, and never more than the
// limit at a time. So the queue beneath stays short, and other users of that
// scheduler get their share in between.
//
// Rejected: workers of the shim's own that loop over its queue. Ten such workers
// hold ten of the workers beneath for as long as the queue has work, whatever
// else waits there.
//
// # Waiting
//
// Work that blocks in a wait and says so ([schedulers.Blocker]) hands its permit
// on, and waits for one again before it continues. With a limit of one, a job
// that waits for another one behind it does not hang. So a limit of one is no
// lock: at each wait, as at each await, other work items get their turn. A limit
// of one does not even exclude two running work items: a context can be given to
// another goroutine, which then waits on behalf of work that continues to run.
// Package exclusive says more about that.
//
// The scheduler beneath decides whether a worker is available for the next permit; it is
// told of the wait, and its refusal is passed on.
package limited
