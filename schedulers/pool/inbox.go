package pool

import (
	"github.com/movenext/movenext/internal/deque"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// inbox is the newer part of the global queue: the work submitted since a worker last
// looked there.
//
// # Why the queue has two parts
//
// Outside submitters and workers meet at the global queue for each work item, and a lock
// that moves back and forth between two processors costs far more than the two
// instructions that it takes on one. A second lock, for the queue alone, would not change
// that. But the two sides need not meet so often. Submitted work goes to the inbox, under
// the inbox's lock, and a worker that finds the older part empty takes the whole inbox at
// once. Until then each side uses its own lock. No work is hidden: every worker that
// searches for work sees both parts. Starting a job from one goroutine took 150 ns with
// one part, and takes 105 ns with two.
//
// The order of the work items is that of one queue. The pool's lock alone guards
// the older part, and a writer to it (put) has emptied the inbox first.
//
// # Why nothing is lost
//
// Submitting and deciding whether to start a worker are no longer one critical section.
// The inbox is one more queue with its own lock, and the protocol in idle.go holds for
// it: push (P1), then read needsDispatch (P2). In step E2 the workers read the field nonEmpty
// instead of taking the lock. P1 writes nonEmpty before P2 reads needsDispatch, and E1 writes
// needsDispatch before E2 reads nonEmpty, so at least one of the two sides sees the other.
type inbox struct {
	_ [64]byte // keeps a submitting processor off the cache lines of its readers

	mu       interleave.Mutex // locked after the pool's lock and a worker's
	queue    deque.Deque
	accepted uint64
	closed   bool

	// nonEmpty reports whether the inbox has work items. It is written under mu.
	nonEmpty interleave.Bool

	_ [64]byte
}

// accept puts w into the inbox, unless the inbox is closed.
func (b *inbox) accept(w schedulers.Work) bool {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return false
	}
	b.accepted++
	b.queue.PushBack(w)
	if !b.nonEmpty.Load() {
		b.nonEmpty.Store(true)
	}
	b.mu.Unlock()
	return true
}

// moveTo moves the new work items behind those of older, which the pool's lock guards.
// Usually older is empty, and the two are swapped.
func (b *inbox) moveTo(older *deque.Deque) {
	if !b.nonEmpty.Load() {
		return
	}
	b.mu.Lock()
	if older.Len() == 0 {
		*older, b.queue = b.queue, *older
	}
	for w := b.queue.PopFront(); w != nil; w = b.queue.PopFront() {
		older.PushBack(w)
	}
	b.nonEmpty.Store(false)
	b.mu.Unlock()
}

// close makes the inbox refuse all further work.
func (b *inbox) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
}

func (b *inbox) addTo(m *schedulers.Metrics) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m.Submitted += b.accepted
	m.Queued += uint64(b.queue.Len())
}

// anyGlobal reports whether the global queue has work; mu is held.
func (p *Pool) anyGlobal() bool { return p.global.Len() > 0 || p.inbox.nonEmpty.Load() }
