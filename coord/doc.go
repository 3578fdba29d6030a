// Package coord coordinates asynchronous functions that wait for one another. It has
// locks, semaphores, events, counters, barriers, conditions, channels, serial execution
// by key, and values computed once.
//
//	Mutex, RWMutex, KeyedMutex            exclusion
//	Semaphore                             a bounded number of permits, by weight
//	Limiter                               a bound on work in flight, fair between keys
//	AutoResetEvent, ManualResetEvent      something has happened
//	Countdown, Barrier, Cond              all are done; all have arrived; check again
//	Channel, Broadcast                    elements go to one receiver; to all
//	Watch                                 a value of which only the latest version matters
//	Select                                the first of several elements, locks, permits, ends
//	Reusable                              a result set by hand, many times
//	ObjectPool                            objects that are expensive to make, lent in turn
//	Serial                                functions of one key, one after the other
//	Lazy, SingleFlight                    a value computed once for all callers
//
// # When to use it, and when sync
//
// Package sync blocks a goroutine. On a scheduler with few workers, a blocked goroutine
// takes a worker away, perhaps the one that would have unlocked. The primitives here
// hold no goroutine while a call waits: a waiter is one object in a queue. For a
// critical section that never suspends, use a sync.Mutex: it is cheaper, and a wait of
// nanoseconds needs no cancellation.
//
// # Two forms
//
// Each operation that may wait comes twice, with the same parameters:
//
//	func (m *Mutex) Lock(ctx context.Context) error
//	func (m *Mutex) LockAsync(ctx context.Context) *job.Job[job.Void]
//
// The first form blocks the calling goroutine, and notifies the worker in ctx that it
// does. The second returns a job at once. Both wait in the same queue. They are twins: in
// a function marked //movenext:async a call of the first is a suspension point, and the
// generated machine waits as the second form does, but without a job: see entered.go.
//
// # What holds for all of them
//
// First come, first served. A light request does not overtake a heavy one, a reader
// does not overtake a writer, and a newcomer does not overtake a waiter, even if the
// primitive looks free: while a caller waits, it is not free. A release hands the lock
// or the permits over to the first waiter, so a caller that uses the primitive twice in
// a row has to queue in between.
//
// A context bounds the wait. If it has ended when the call begins, the call fails, even
// if it would not have had to wait. If it ends later, the waiter leaves the queue without
// a trace; the error matches the context's Err and its Cause, and the job is Canceled.
// The waiter gets either what it requested or the error, never both and never neither:
// waiter.go explains the decision. So if the call returns no error although the context
// has ended, the lock is held, or the element was received. A nil context never ends.
//
// A blocking call may end without returning: on an event loop or a dedicated thread, other
// work runs on top of the wait, and if it calls runtime.Goexit, the waiting function is
// unwound too. The waiter has then left the queue, and what it had just been granted goes
// to the next one: desert.go has the details. A context whose methods panic has the same
// effect.
//
// A blocking form returns schedulers.ErrWouldDeadlock if the worker that ctx carries knows
// that it would block forever. The call has then left the queue, and has acquired nothing.
//
// No user code runs under a lock of this package, and no waiter is notified before the lock
// is released. Waiters that continue together are notified in order of arrival.
//
// A call blocks only if its documentation says so, and an Async form never does. All methods
// are safe for concurrent use. No value of this package may be copied after first use. Zero
// values are ready to use unless the type's documentation says otherwise. A call that need not
// wait allocates nothing in either form, unless the form returns a job with a value: that job is
// the allocation.
//
// # Misuse
//
// A call that returns an error uses it to report bad arguments. A call without an error
// result panics, as in package sync: when it unlocks a lock that is not locked, releases
// more than was acquired, or gets a negative size. The panic leaves the primitive
// unchanged, but the program is wrong.
//
// # The end of a home
//
// A machine whose scheduler was shut down while it waited is resumed elsewhere, and its
// call returns schedulers.ErrShutdown. It then owns nothing: a lock, permits or a
// signal granted while it waited go to the next waiter. (So does the signal of a Cond;
// L is held, as after any other error.) Some outcomes cannot be taken back: an element
// that was sent or received, a phase of a Barrier, the case of a Select. Then the call returns
// that outcome without this error.
package coord
