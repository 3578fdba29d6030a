// Package coord lets asynchronous functions wait for one another: locks, semaphores,
// events, counters, barriers, conditions, channels, work in turn by key, and values
// computed once.
//
//	Mutex, RWMutex, KeyedMutex            exclusion
//	Semaphore                             so much at a time, by weight
//	Limiter                               so much in flight, fair between keys
//	AutoResetEvent, ManualResetEvent      something has happened
//	Countdown, Barrier, Cond              all are done; all are here; look again
//	Channel, Broadcast                    elements go to one receiver; to all
//	Watch                                 a value whose latest version matters
//	Select                                the first of several, in order
//	Reusable                              a result again and again, set by hand
//	ObjectPool                            objects that are expensive to make, lent in turn
//	Serial                                functions of one key, one after the other
//	Lazy, SingleFlight                    computed once, by one, for all callers
//
// # When to use it, and when sync
//
// Package sync blocks a goroutine. On a scheduler of few workers, a blocked goroutine
// takes one of them away, perhaps the one that would have unlocked. The primitives here
// hold no goroutine while a call waits: a waiter is one object in a queue. A critical
// section that never suspends is better off with a sync.Mutex: it is cheaper, and a
// wait of nanoseconds needs no cancellation.
//
// # Two forms
//
// Each operation that may wait comes twice, with the same parameters:
//
//	func (m *Mutex) Lock(ctx context.Context) error
//	func (m *Mutex) LockAsync(ctx context.Context) *job.Job[job.Void]
//
// The first blocks the calling goroutine, and tells the worker in ctx that it does. The
// second returns a job at once. Both wait in the same queue. They are twins: in a
// function marked //movenext:async a call of the first is a suspension, and the
// generated machine waits as the second does, without its job: see entered.go.
//
// # What holds for all of them
//
// First come, first served. A light request does not overtake a heavy one, a reader
// does not overtake a writer, and a newcomer does not overtake a waiter, even if the
// primitive looks free: while a caller waits, it is not free. What is released is
// handed over, so the first waiter is served first, and a caller that uses the
// primitive twice in a row queues in between.
//
// A context bounds the wait. If it has ended when the call begins, the call fails, even
// if it would not have had to wait. If it ends later, the waiter leaves the queue
// without a trace; the error matches the context's Err and its Cause, and the job is
// Canceled. The waiter gets either what it asked for or the error, never both and never
// neither: waiter.go explains the decision. So a lock that was granted to an ending
// context is held, and an element that was handed to it is returned. A nil context
// never ends.
//
// A blocking form returns schedulers.ErrWouldDeadlock if the worker that ctx carries
// knows that it would block forever. The call has left the queue then, and does not own
// what it asked for.
//
// No user code runs under a lock of this package, and no waiter is notified before the lock
// is released. Waiters that continue together are notified in order of arrival.
//
// All methods are safe for concurrent use. No value of this package may be copied after
// first use. Zero values are ready to use unless a type says otherwise. Asking for what
// is free allocates nothing in either form, unless the form returns a job with a value:
// that job is the allocation.
//
// # Misuse
//
// A call that returns an error uses it to report bad arguments. A call without an
// error result panics, as package sync does: unlocking what is not locked,
// releasing more than was acquired, a negative size. The panic leaves the
// primitive as it was, but the program is wrong.
//
// # The end of a home
//
// A machine whose scheduler was shut down while it waited is resumed elsewhere, and its
// call returns schedulers.ErrShutdown. It then owns nothing: a lock, permits or a
// signal granted while it waited go to the next waiter. (So does the signal of a Cond;
// L is held, as after any other error.) What cannot be taken back remains, and the call
// returns it without this error: an element that was sent or received, a phase of a
// Barrier.
package coord
