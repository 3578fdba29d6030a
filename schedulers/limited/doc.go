// Package limited lets at most so many pieces of work run at a time, over any
// scheduler: ten of a pool's hundred workers for thumbnails, say, or, with a
// limit of one, one after the other in the order of arrival.
//
// It counts what runs. A machine that waits does not run: a hundred of them may be in the middle
// of a query with a limit of three. What counts them, from their start to their end, is
// Scope.Limit of package job, the option Degree of package parallel, or a Limiter of package
// coord.
//
// # How
//
// Work that is below the limit is submitted to the scheduler beneath at once. Work
// above it waits here, first come first served, and each piece of work that ends submits the next:
// as many submissions beneath as there are works, and never more than
// the limit of them at a time. So the queue beneath stays short, and whatever else
// uses that scheduler gets its share in between.
//
// Rejected: workers of the shim's own that loop over its queue. A loop of ten
// holds ten of the workers beneath for as long as there is work, whatever else waits there.
//
// # Waiting
//
// Work that blocks in a wait and says so ([schedulers.Blocker]) hands its slot on, and
// takes a slot again before it goes on: with a limit of one, a job that waits for another one
// behind it does not hang. So a limit of one is no lock: at each
// wait, as at each await, others get their turn. And since a context can be given
// to another goroutine, which then waits on behalf of the work while that works on, a limit of one is no
// proof against two at a time either. Package exclusive says more about that.
//
// Whether there is a worker for who gets the slot is the scheduler beneath's business; it is
// told of the wait, and its refusal is passed on.
package limited
