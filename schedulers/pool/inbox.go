package pool

import (
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/internal/deque"
	"github.com/movenext/movenext/schedulers"
)

// inbox is the newer part of the global queue: what has been submitted since a worker looked for work there last.
//
// # Why the queue has two parts
//
// Who submits from outside and who takes work meet at the global queue with each work, and a lock that goes to and fro between two
// processors costs far more than the two instructions that it takes on one. A lock of the queue's own, beside the pool's, changes nothing
// about that. But they need not meet so often: what is submitted lies in the inbox, under its lock, and a worker that finds the older part empty
// takes all that is there at once. Until then one side works with the one lock, and the other with the other. Nothing is hidden
// by that from anybody: every worker that looks for work sees both parts. Of the jobs that one goroutine starts, each took 150 ns with
// one part, and takes 105 with two.
//
// The order of the works is that of one queue, since the older part is behind the pool's lock alone: whoever adds to it
// (put) has emptied the inbox before.
//
// # Why nothing is lost
//
// Submitting and deciding whether to start a worker are no critical section any more. The inbox is one more queue with a lock of its own, and the
// protocol in idle.go holds for it: push (P1), then read hungry (P2). In step E2 the workers read some in place of taking the
// lock: it is written in P1 before hungry is read in P2, and hungry is written in E1 before some is read in E2, so that one of
// the two sees the other.
type inbox struct {
	_ [64]byte // a processor that submits must not take from another one what that reads of the pool

	mu       sync.Mutex // after the pool's lock and a worker's
	works    deque.Deque
	accepted uint64
	shut     bool

	// some is whether there are works. It is written under mu.
	some atomic.Bool

	_ [64]byte
}

// accept puts w into the inbox, unless that is shut.
func (b *inbox) accept(w schedulers.Work) bool {
	b.mu.Lock()
	if b.shut {
		b.mu.Unlock()
		return false
	}
	b.accepted++
	b.works.PushBack(w)
	if !b.some.Load() {
		b.some.Store(true)
	}
	b.mu.Unlock()
	return true
}

// empty moves what has come behind the works of older, which the pool's lock guards. In the usual case there are none, and
// the two change places.
func (b *inbox) empty(older *deque.Deque) {
	if !b.some.Load() {
		return
	}
	b.mu.Lock()
	if older.Len() == 0 {
		*older, b.works = b.works, *older
	}
	for w := b.works.PopFront(); w != nil; w = b.works.PopFront() {
		older.PushBack(w)
	}
	b.some.Store(false)
	b.mu.Unlock()
}

// close lets nothing in any more.
func (b *inbox) close() {
	b.mu.Lock()
	b.shut = true
	b.mu.Unlock()
}

func (b *inbox) addTo(m *schedulers.Metrics) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m.Submitted += b.accepted
	m.Queued += uint64(b.works.Len())
}

// anyGlobal reports whether the global queue has work; mu is held.
func (p *Pool) anyGlobal() bool { return p.global.Len() > 0 || p.inbox.some.Load() }
