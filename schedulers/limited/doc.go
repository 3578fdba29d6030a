// Package limited bounds the number of work items that run at a time, over any
// scheduler: ten of a pool's hundred workers for thumbnails, say. With a limit of
// one, work runs one after the other in the order of arrival.
//
// It counts running work. A machine that waits does not run: with a limit of three, a
// hundred machines may be in the middle of a query. To count them from start to end, use
// Scope.Limit of package job, the option Degree of package parallel, or a Limiter of
// package coord.
//
// # How it works
//
// Work below the limit is submitted to the scheduler beneath at once. Work above
// it waits here, first come, first served, and each work item that ends submits
// the next: one submission beneath for each work item, and never more than the
// limit at a time. So the queue beneath stays short, and other users of that
// scheduler get their share in between.
//
// Rejected: workers that loop over the shim's queue. Ten such workers hold ten of the
// workers beneath for as long as the queue has work, whatever else waits there.
//
// # Waiting
//
// Work that announces that it blocks ([schedulers.Blocker]) passes its permit on, and
// waits for a new one before it continues. So a job does not hang with a limit of one if
// it waits for another job queued behind it. A limit of one is therefore no lock: at each
// wait, as at each await, other work items get their turn. It does not even rule out two
// running work items: a context can be passed to another goroutine, which then waits on
// behalf of work that continues to run. Package exclusive says more about that.
//
// The scheduler beneath decides whether a worker is available for the next permit. The
// wait is announced to it too, and its refusal is passed on.
package limited
