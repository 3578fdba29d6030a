// Package coord lets asynchronous functions wait for one another: locks,
// semaphores, events, counters, barriers, conditions, channels, work in turn by
// key, and values computed once.
//
//	Mutex, RWMutex, KeyedMutex            exclusion
//	Semaphore                             so much at a time, by weight
//	Limiter                               so much in flight, fair between keys
//	AutoResetEvent, ManualResetEvent      something has happened
//	Countdown, Barrier, Cond              all are done; all are here; look again
//	Channel, Broadcast                    elements go to one receiver; to all
//	Serial                                functions of one key, one after the other
//	Lazy, SingleFlight                    computed once, by one, for all who ask
//
// # When to use it, and when sync
//
// Package sync blocks a goroutine. A goroutine that blocks on a scheduler of
// few workers takes one of them away, perhaps the one that would have unlocked. What
// is here holds no goroutine while it waits: a waiter is one object in a
// queue. A critical section that never suspends is better off with a sync.Mutex: it
// is cheaper, and nobody needs to cancel a wait of nanoseconds.
//
// # Two forms
//
// Each operation that may wait comes twice, with the same parameters:
//
//	func (m *Mutex) Lock(ctx context.Context) error
//	func (m *Mutex) LockAsync(ctx context.Context) *job.Job[job.Void]
//
// The first blocks the calling goroutine, and tells the worker in ctx that it does.
// The second returns a job at once. The two wait in the same queue. They are a
// pair of twins: in a function marked //movenext:async a call of the first is a
// suspension, and the generated machine waits as the second does, without its job: see entered.go.
//
// # What holds for all of them
//
// First come, first served. Nobody overtakes: not a light request a heavy one, not a
// reader a writer, and not one who has just come and finds things free.
// Where somebody waits, they are not free. What is released is handed over, so who
// was first is served first, and who uses it twice in a row has to queue in between.
//
// A context bounds the wait. If it has ended when the call begins, the call fails,
// also where it would not have had to wait. If it ends later, the waiter leaves the
// queue and leaves nothing behind; the error matches the context's Err and its
// Cause, and the job is Canceled. Either the waiter gets what it asked for or it gets the
// error, never both and never neither: see waiter.go for who decides. So a lock
// that was granted to an ending context is held, and an element
// that was handed to it is returned. A nil context never ends.
//
// A blocking form returns schedulers.ErrWouldDeadlock where the worker that ctx
// carries knows that blocking it would be for ever. It has left the queue then, and what
// it asked for is not its own.
//
// No code of a user runs under a lock of this package, and no waiter is told before
// the lock is released. Those that go on together are told in the order in which they came.
//
// All methods are safe for concurrent use. Nothing here may be copied after first
// use. Zero values are ready to use unless a type says otherwise. Asking for what is free
// allocates nothing in either form, unless the form returns a job with a value:
// that job is the allocation.
//
// # Misuse
//
// A call that returns an error reports bad arguments by it. One that has none to
// return panics, as package sync does: unlocking what is not locked,
// releasing more than was acquired, a negative size. The panic leaves the primitive as it
// was; the program is wrong all the same.
//
// # The end of a home
//
// A machine whose scheduler was shut down while it waited is resumed elsewhere, and its call
// returns schedulers.ErrShutdown. It has nothing then: a lock, permits, a signal that it was given while it waited go to
// who is next. (So does the signal of a Cond; L is held, as after any other error.) What can not be taken back stands, and its call
// returns that, without this error: an element that was sent or received, a phase of a Barrier.
package coord
