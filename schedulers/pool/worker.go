package pool

import (
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/internal/deque"
	"github.com/movenext/movenext/internal/runloop"
	"github.com/movenext/movenext/schedulers"
)

// fairTick is how many pieces of work a worker runs before it looks once at what
// its own newest work would otherwise keep out: the global queue, then the oldest of its own
// queue. The number is Go's and tokio's.
const fairTick = 61

// worker is a place in the pool: an ID and a local queue, and while it is live,
// a goroutine. The place outlives the goroutine, so that starting one allocates
// nothing.
type worker struct {
	pool *Pool
	id   int
	loop runloop.Loop

	// mu guards the next three. A hint leads foreign goroutines here.
	mu       sync.Mutex
	local    deque.Deque // newest for the owner, oldest for everybody else
	open     bool        // local accepts work: the worker is live and the pool not closed
	accepted uint64

	queued atomic.Int64 // local.Len(), written under mu, for who only looks

	// Of the goroutine in loop alone.
	fresh bool // has not looked for work yet; set by start before there is a goroutine
	tick  uint

	live   bool   // a goroutine serves this place; under pool.mu
	stolen uint64 // under pool.mu
}

func newWorker(p *Pool, id int) *worker {
	w := &worker{pool: p, id: id}
	w.loop.On = w
	w.loop.Next = w.next
	w.loop.Lost = func() { go w.loop.Run() }
	return w
}

// Scheduler implements [schedulers.Worker].
func (w *worker) Scheduler() schedulers.Scheduler { return w.pool }

// ID implements [schedulers.Worker].
func (w *worker) ID() int { return w.id }

// push adds work to the local queue, if that is open.
func (w *worker) push(work schedulers.Work) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.open {
		return false
	}
	w.accepted++
	w.local.PushBack(work)
	w.queued.Store(int64(w.local.Len()))
	return true
}

func (w *worker) popNewest() schedulers.Work {
	if w.queued.Load() == 0 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	work := w.local.PopBack()
	w.queued.Store(int64(w.local.Len()))
	return work
}

func (w *worker) popOldest() schedulers.Work {
	if w.queued.Load() == 0 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	work := w.local.PopFront()
	w.queued.Store(int64(w.local.Len()))
	return work
}

func (w *worker) setOpen(open bool) {
	w.mu.Lock()
	w.open = open
	w.mu.Unlock()
}

// next is the worker's loop condition: the newest of its own, else whatever
// the pool finds for it, else the end.
func (w *worker) next() schedulers.Work {
	w.tick++
	if !w.fresh && w.tick%fairTick != 0 {
		if work := w.popNewest(); work != nil {
			return work
		}
	}
	return w.pool.find(w)
}
