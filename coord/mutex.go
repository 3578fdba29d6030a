package coord

import (
	"context"

	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// Mutex is a lock with one holder at a time, across suspensions too. The zero Mutex is
// unlocked. It has no owner: one goroutine may lock it and another unlock it. Locking a
// Mutex that the caller already holds waits forever, or until ctx ends.
//
// Unlock hands the lock to the first waiter rather than freeing it for the quickest.
// That makes it fair; it also means that under contention each handoff costs a wake-up.
// If throughput matters more than order, hold the lock for less time.
//
// It is Stephen Toub's AsyncLock and Kotlin's Mutex, with contexts.
type Mutex struct {
	mu     interleave.Mutex
	locked bool // with waiters that can be served it is locked
	queue  queue
	holder holder
}

type mutex = Mutex // the receiver of entries; see entered.go

// Lock waits until the lock is free and takes it. It returns nil, or the reason why ctx
// ended; the lock is held only if nil was returned. It blocks; its twin is [Mutex.LockAsync].
func (m *Mutex) Lock(ctx context.Context) error {
	budget.Yield()
	ctx, err := checkContext(ctx)
	if err != nil {
		return err
	}
	if m.TryLock() {
		// Yield with the lock held: in a search, others must be able to find it locked.
		budget.Yield()
	} else {
		_, err = wait[job.Void](ctx, m, job.Void{})
	}
	if err == nil {
		m.holder.record(ctx)
	}
	return err
}

// LockAsync returns a job that completes once the lock is held, or is Canceled when ctx
// ends first. A caller that drops the job of a granted lock has locked it for good. It
// allocates nothing if the lock is free.
func (m *Mutex) LockAsync(ctx context.Context) *job.Job[job.Void] {
	ctx, err := checkContext(ctx)
	if err != nil {
		return promise.FailedVoid(ctx, err)
	}
	if m.TryLock() {
		return completedVoid()
	}
	return waitAsync[job.Void](ctx, m, job.Void{})
}

// LockEnter is [Mutex.Lock] as generated machines call it.
func (m *mutex) LockEnter(r *statemachine.Run, ctx context.Context) (*statemachine.WaitingVoid[job.Void], error) {
	ctx, err := checkContext(ctx)
	if err != nil {
		return endEntryVoid[job.Void](r, m, err)
	}
	if r.Proceed() && m.TryLock() { // otherwise the lock would be held while the machine is queued
		m.holder.recordMachine(r)
		return nil, nil
	}
	return enterWaitVoid(r, ctx, m, job.Void{}), nil
}

// TryLock takes the lock if it is free, and reports whether it did.
func (m *Mutex) TryLock() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.take()
}

// Unlock releases the lock, or hands it to the first waiter. It panics if the lock is not
// held.
func (m *Mutex) Unlock() {
	m.mu.Lock()
	if !m.locked {
		m.mu.Unlock()
		panic("coord: unlock of an unlocked Mutex")
	}
	decided := m.release()
	m.mu.Unlock()
	decided.deliver(nil)
}

// take locks a free mutex.
func (m *Mutex) take() bool {
	free := !m.locked
	m.locked = true
	return free
}

// release passes the lock to the first waiter, or frees it. With a waiter the mutex
// stays locked: the waiter owns it before it is notified.
func (m *Mutex) release() (decided outcomes) {
	m.holder.clear()
	w := m.queue.next(nil)
	if w == nil {
		m.locked = false
		return decided
	}
	decided.add(w)
	return decided
}

func (m *Mutex) held(*waiter) (what any, by *probe.Holder) {
	return m, interleave.LoadPointer(&m.holder.work)
}

func (m *Mutex) recordHolder(r *statemachine.Run, _ *waiter) { m.holder.recordMachine(r) }

func (m *Mutex) guard() *interleave.Mutex { return &m.mu }

// admit takes a fresh waiter, or one that a Cond has already decided.
func (m *Mutex) admit(w *waiter) (decided outcomes) {
	if !m.locked && w.of.claim() {
		m.locked = true
		decided.add(w)
	} else {
		m.queue.push(w)
	}
	return decided
}

func (m *Mutex) cancel(w *waiter) outcomes { return m.queue.cancel(w) }

func (m *Mutex) giveBack(*waiter) outcomes { return m.release() }
