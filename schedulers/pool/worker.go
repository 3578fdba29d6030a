package pool

import (
	"context"

	"github.com/movenext/movenext/internal/deque"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/runloop"
	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
)

// fairTick is how many work items a worker runs before it looks once at the work
// that its own newest work would otherwise keep waiting: the global queue, then
// the oldest of its own queue. Go and tokio use the same number.
const fairTick = 61

// worker is a slot of the pool: an ID and a local queue, and while it is live, a
// goroutine. The slot outlives the goroutine, so starting one allocates nothing.
type worker struct {
	pool *Pool
	id   int
	loop runloop.Loop

	// mu guards the next five. A hint leads other goroutines here.
	mu       interleave.Mutex
	local    deque.Deque // newest for the owner, oldest for all others
	open     bool        // local accepts work: the worker is live and the pool not closed
	accepted uint64
	// Taken back by a waiter, and then counted as completed.
	reclaimed uint64
	// repeated counts the work items that the loop took directly after another one:
	// under this lock counting them is free.
	repeated uint64

	// some is false only if local is empty. A push sets it under mu, and the owner
	// clears it when it finds nothing: writing it with each push and pop would cost as
	// much as the lock.
	some interleave.Bool

	// Owned by the goroutine in loop.
	fresh  bool // has not looked for work yet; set by start before there is a goroutine
	missed bool // see serve; set by start
	tick   uint
	room   any // of the goroutine on the worker; see [schedulers.Keeper]

	leaving leaving

	live   bool   // a goroutine serves this slot; under pool.mu
	stolen uint64 // under pool.mu
}

func newWorker(p *Pool, id int) *worker {
	w := &worker{pool: p, id: id}
	w.leaving.worker = w
	w.loop.On = w
	w.loop.Next, w.loop.More = w.next, w.more
	w.loop.Lost = func() { interleave.Go(w.serve) }
	return w
}

// serve is the goroutine of a worker. If the pool may not be free to replace the
// worker when it waits, a wait whose context does not name it can still find it.
func (w *worker) serve() {
	schedulers.ClearLabels()
	if w.missed {
		w.loop.RunHere()
		return
	}
	w.loop.Run()
}

// Scheduler implements [schedulers.Worker].
func (w *worker) Scheduler() schedulers.Scheduler { return w.pool }

// ID implements [schedulers.Worker].
func (w *worker) ID() int { return w.id }

// leaving is the worker as named by what is submitted at the end of its current work;
// see [schedulers.Leaver] and idle.go.
type leaving struct{ worker *worker }

// Scheduler implements [schedulers.Worker].
func (l *leaving) Scheduler() schedulers.Scheduler { return l.worker.pool }

// ID implements [schedulers.Worker].
func (l *leaving) ID() int { return l.worker.id }

// Leaving implements [schedulers.Leaver].
func (w *worker) Leaving() schedulers.Worker { return &w.leaving }

// Room implements [schedulers.Keeper]. In a pool with [QueueLimit] a submitter may run
// work in the name of its hint's worker, so the running goroutine may not be the
// worker.
func (w *worker) Room() *any {
	if w.pool.bound != nil {
		return nil
	}
	return &w.room
}

// push adds work to the local queue, if that is open. first says that it was empty
// before.
func (w *worker) push(work schedulers.Work) (accepted, first bool) {
	w.mu.Lock()
	if !w.open {
		w.mu.Unlock()
		return false, false
	}
	w.accepted++
	first = w.local.Len() == 0
	w.local.PushBack(work)
	if !w.some.Load() {
		w.some.Store(true)
	}
	w.mu.Unlock()
	return true, first
}

// popNewest is for the owner. repeat says that the returned work follows a work
// item that has ended, and is counted.
func (w *worker) popNewest(repeat bool) schedulers.Work {
	if w.due() || !w.some.Load() {
		return nil
	}
	w.mu.Lock()
	work := w.local.PopBack()
	switch {
	case work == nil:
		w.some.Store(false)
	case repeat:
		w.repeated++
	}
	w.mu.Unlock()
	if work != nil {
		w.tick++
	}
	return work
}

// completed returns how many work items of this worker have ended; mu is held.
func (w *worker) completed() uint64 { return w.loop.Completed() + w.repeated + w.reclaimed }

// steps returns a number that grows when the worker takes or finishes work.
func (w *worker) steps() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.loop.Steps() + 2*w.repeated
}

// popOldest is safe for any goroutine.
func (w *worker) popOldest() schedulers.Work {
	if !w.some.Load() {
		return nil
	}
	w.mu.Lock()
	work := w.local.PopFront()
	w.mu.Unlock()
	return work
}

// queued reports whether the local queue has work.
func (w *worker) queued() bool {
	if !w.some.Load() {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.local.Len() > 0
}

func (w *worker) setOpen(open bool) {
	w.mu.Lock()
	w.open = open
	w.mu.Unlock()
}

// more is the first question of the worker's loop: it returns the worker's own
// newest work, unless it is time to look elsewhere.
func (w *worker) more() schedulers.Work { return w.popNewest(true) }

// due reports whether the worker has to look at the other queues before it does
// anything else.
func (w *worker) due() bool { return (w.tick+1)%fairTick == 0 }

// next is the worker's loop condition: it returns the worker's own newest work,
// else what the pool finds for it, else nil, which ends the loop.
func (w *worker) next() schedulers.Work {
	if !w.fresh {
		if work := w.popNewest(false); work != nil {
			return work
		}
	}
	w.tick++
	w.pool.mu.Lock()
	work := w.pool.find(w)
	w.pool.mu.Unlock()
	return work
}

// IsPoolWorker reports whether ctx belongs to work that runs on a worker of a
// pool, directly or through schedulers on top of the pool: .NET's
// Thread.IsThreadPoolThread, asked of a context. It is false in main, on
// goroutines or threads of the user, and in long-running work, which runs outside
// the workers. The answer is about the context: a goroutine that was given the
// context of work gets the work's answer. A nil ctx is false. It does not block.
func IsPoolWorker(ctx context.Context) bool {
	w, ok := shim.Find[*worker](schedulers.WorkerFrom(ctx))
	return ok && w != nil
}
