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

// RWMutex is a lock with any number of readers or one writer. The zero RWMutex is
// unlocked.
//
// Readers and writers wait in one queue, so neither starves the other: a reader behind
// a waiting writer waits too, even while other readers hold the lock. Therefore a
// reader must not lock for reading again: with a writer between its two calls it would
// wait for itself. Adjacent readers in the queue continue together.
type RWMutex struct {
	mu      interleave.Mutex
	readers int  // how many readers hold it
	writing bool // a writer holds it; then readers is 0
	queue   queue
	holder  holder // the last one that got the lock
}

type rwMutex = RWMutex // the receiver of entries; see entered.go

// access is the kind of access that a waiter of a RWMutex requests.
type access uint8

const (
	read access = iota
	write
)

// Lock waits until the lock is free and takes it for writing. It returns nil, or the
// reason why ctx ended. It blocks; its twin is [RWMutex.LockAsync].
func (m *RWMutex) Lock(ctx context.Context) error { return m.lock(ctx, write) }

// LockAsync returns a job that completes once the lock is held for writing, or is
// Canceled when ctx ends first. It allocates nothing if the lock is free.
func (m *RWMutex) LockAsync(ctx context.Context) *job.Job[job.Void] { return m.lockAsync(ctx, write) }

// LockEnter is [RWMutex.Lock] as generated machines call it.
func (m *rwMutex) LockEnter(r *statemachine.Run, ctx context.Context) (*statemachine.WaitingVoid[job.Void], error) {
	return m.enter(r, ctx, write)
}

// TryLock takes the lock for writing if it is free, and reports whether it did.
func (m *RWMutex) TryLock() bool { return m.try(write) }

// RLock waits until no writer holds the lock or waits for it, and takes it for reading.
// It returns nil, or the reason why ctx ended. It blocks; its twin is [RWMutex.RLockAsync].
func (m *RWMutex) RLock(ctx context.Context) error { return m.lock(ctx, read) }

// RLockAsync returns a job that completes once the lock is held for reading, or is
// Canceled when ctx ends first. It allocates nothing if it need not wait.
func (m *RWMutex) RLockAsync(ctx context.Context) *job.Job[job.Void] { return m.lockAsync(ctx, read) }

// RLockEnter is [RWMutex.RLock] as generated machines call it.
func (m *rwMutex) RLockEnter(r *statemachine.Run, ctx context.Context) (*statemachine.WaitingVoid[job.Void], error) {
	return m.enter(r, ctx, read)
}

// TryRLock takes the lock for reading if no writer holds it or waits for it, and
// reports whether it did.
func (m *RWMutex) TryRLock() bool { return m.try(read) }

// Unlock releases the lock of a writer. It panics if the lock is not held for writing.
func (m *RWMutex) Unlock() {
	m.mu.Lock()
	if !m.writing {
		m.mu.Unlock()
		panic("coord: unlock of an RWMutex that is not locked for writing")
	}
	m.release(write)
	decided := m.serve()
	m.mu.Unlock()
	decided.deliver(nil)
}

// RUnlock releases the lock of one reader. It panics if the lock is not held for reading.
func (m *RWMutex) RUnlock() {
	m.mu.Lock()
	if m.readers == 0 {
		m.mu.Unlock()
		panic("coord: unlock of an RWMutex that is not locked for reading")
	}
	m.release(read)
	decided := m.serve()
	m.mu.Unlock()
	decided.deliver(nil)
}

func (m *RWMutex) lock(ctx context.Context, kind access) error {
	budget.Yield()
	ctx, err := checkContext(ctx)
	if err != nil {
		return err
	}
	if m.try(kind) {
		// Yield with the lock held: in a search, others must be able to find it locked.
		budget.Yield()
	} else {
		_, err = wait[job.Void](ctx, m, kind)
	}
	if err == nil {
		m.holder.record(ctx)
	}
	return err
}

func (m *RWMutex) lockAsync(ctx context.Context, kind access) *job.Job[job.Void] {
	ctx, err := checkContext(ctx)
	if err != nil {
		return promise.FailedVoid(ctx, err)
	}
	if m.try(kind) {
		return completedVoid()
	}
	return waitAsync[job.Void](ctx, m, kind)
}

func (m *RWMutex) enter(r *statemachine.Run, ctx context.Context, kind access) (*statemachine.WaitingVoid[job.Void], error) {
	ctx, err := checkContext(ctx)
	if err != nil {
		return endEntryVoid[access](r, m, err)
	}
	if r.Proceed() && m.try(kind) {
		m.holder.recordMachine(r)
		return nil, nil
	}
	return enterWaitVoid(r, ctx, m, kind), nil
}

func (m *RWMutex) try(kind access) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.queue.empty() && m.take(kind)
}

// take takes the lock if its current holders allow that. The caller has to check whether
// other waiters come first.
func (m *RWMutex) take(kind access) bool {
	switch {
	case m.writing:
		return false
	case kind == read:
		m.readers++
		return true
	}
	m.writing = m.readers == 0
	return m.writing
}

// release undoes take.
func (m *RWMutex) release(kind access) {
	if kind == write {
		m.holder.clear()
		m.writing = false
	} else {
		m.readers--
	}
}

// accessOf returns the kind of access that w waits for.
func accessOf(w *waiter) access { return callOf[job.Void, access](w).request }

// serve lets the first waiter continue, and the next, until one has to wait.
func (m *RWMutex) serve() (decided outcomes) {
	for !m.queue.empty() && m.take(accessOf(m.queue.first)) {
		decided.add(m.queue.pop())
	}
	return decided
}

func (m *RWMutex) held(*waiter) (what any, by *probe.Holder) {
	return m, interleave.LoadPointer(&m.holder.work)
}

func (m *RWMutex) recordHolder(r *statemachine.Run, _ *waiter) { m.holder.recordMachine(r) }

func (m *RWMutex) guard() *interleave.Mutex { return &m.mu }

func (m *RWMutex) admit(w *waiter) outcomes {
	m.queue.push(w)
	return m.serve()
}

// cancel serves other waiters too: readers behind a writer that gives up may join the
// readers that hold the lock.
func (m *RWMutex) cancel(w *waiter) outcomes {
	decided := m.queue.cancel(w)
	decided.append(m.serve())
	return decided
}

func (m *RWMutex) giveBack(w *waiter) outcomes {
	m.release(accessOf(w))
	return m.serve()
}
