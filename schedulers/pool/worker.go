package pool

import (
	"context"

	"github.com/movenext/movenext/internal/deque"
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/labels"
	"github.com/movenext/movenext/internal/runloop"
	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
)

// fairTick is how many work items a worker runs before it once prefers the work that its
// own newest work would otherwise keep waiting: that of the global queue, then the oldest
// of its own queue. Go and tokio use the same number.
const fairTick = 61

// worker is a slot of the pool: an ID and a local queue, and while it is live, a
// goroutine. The slot outlives the goroutine, so starting one allocates nothing.
type worker struct {
	pool *Pool
	id   int
	loop runloop.Loop
	main func() // serve, made once: a method value at each start would be an allocation

	// mu guards the next five fields. Other goroutines find the worker through a hint.
	mu       interleave.Mutex
	local    deque.Deque // the owner takes the newest, all others the oldest
	open     bool        // local accepts work: the worker is live and the pool not closed
	accepted uint64
	// Work items that waiters have reclaimed; they count as completed.
	reclaimed uint64
	// repeated counts the work items that the loop took directly after another one. The
	// lock is held at that moment anyway, so this costs nothing.
	repeated uint64

	// mayHaveWork is false only if local is empty. A push sets it under mu, and the owner
	// clears it when it finds nothing: writing it with each push and pop would cost as
	// much as the lock.
	mayHaveWork interleave.Bool

	// Owned by the goroutine in loop.
	fresh              bool // has not searched for work yet; set by start
	registersGoroutine bool // see serve; set by start
	tick               uint
	room               any // see [dispatch.Keeper]
	entry              dispatch.KeptEntry

	leaving leavingWorker

	live   bool   // a goroutine serves this slot; under pool.mu
	stolen uint64 // under pool.mu
}

func newWorker(p *Pool, id int) *worker {
	w := &worker{pool: p, id: id}
	w.leaving.worker = w
	w.loop.Worker = w
	w.loop.Next, w.loop.More = w.next, w.more
	w.main = w.serve
	w.loop.Restart = func() { interleave.Go(w.main) }
	return w
}

// serve is the goroutine of a worker. If the pool may be unable to replace the worker
// during a wait, serve registers the goroutine, so that a wait can find the worker even if
// its context does not name it.
func (w *worker) serve() {
	labels.Clear()
	if w.registersGoroutine {
		w.loop.RunHere()
		return
	}
	w.loop.Run()
}

// Scheduler implements [schedulers.Worker].
func (w *worker) Scheduler() schedulers.Scheduler { return w.pool }

// ID implements [schedulers.Worker].
func (w *worker) ID() int { return w.id }

// leavingWorker is the worker that a hint names if the submission is the last action of the
// current work; see [dispatch.Leaver] and idle.go.
type leavingWorker struct{ worker *worker }

// Scheduler implements [schedulers.Worker].
func (l *leavingWorker) Scheduler() schedulers.Scheduler { return l.worker.pool }

// ID implements [schedulers.Worker].
func (l *leavingWorker) ID() int { return l.worker.id }

// Leaving implements [dispatch.Leaver].
func (w *worker) Leaving() schedulers.Worker { return &w.leaving }

// Room implements [dispatch.Keeper]. In a pool with [QueueLimit], a submitter may run
// work with the worker that its hint names, so the running goroutine may not be that
// worker's; then there is no room.
func (w *worker) Room() *any {
	if w.pool.bound != nil {
		return nil
	}
	return &w.room
}

// KeptEntry returns the worker's entry for [dispatch.RunOnTop], under the condition of Room.
func (w *worker) KeptEntry() *dispatch.KeptEntry {
	if w.pool.bound != nil {
		return nil
	}
	return &w.entry
}

// RunsNext implements [dispatch.Successor]: a worker takes its newest work next, unless it has
// to check the other queues first.
func (w *worker) RunsNext() bool {
	if w.pool.bound != nil || w.pool.closed.Load() || w.due() {
		return false
	}
	w.tick++
	w.loop.Follow()
	return true
}

// ownWorker returns caller as a worker of this pool, or nil.
func (p *Pool) ownWorker(caller schedulers.Worker) *worker {
	w, ok := caller.(*worker)
	if !ok {
		l, leaves := caller.(*leavingWorker)
		if !leaves || l == nil {
			return nil
		}
		w = l.worker
	}
	if w != nil && w.pool == p {
		return w
	}
	return nil
}

// push adds work to the local queue, if that is open. wasEmpty reports that the queue was
// empty before.
func (w *worker) push(work schedulers.Work) (accepted, wasEmpty bool) {
	w.mu.Lock()
	if !w.open {
		w.mu.Unlock()
		return false, false
	}
	w.accepted++
	wasEmpty = w.local.Len() == 0
	w.local.PushBack(work)
	if !w.mayHaveWork.Load() {
		w.mayHaveWork.Store(true)
	}
	w.mu.Unlock()
	return true, wasEmpty
}

// popNewest removes and returns the newest work. Only the owner calls it. With repeat, the
// returned work follows a work item that has ended, and is counted in repeated.
func (w *worker) popNewest(repeat bool) schedulers.Work {
	if w.due() || !w.mayHaveWork.Load() {
		return nil
	}
	w.mu.Lock()
	work := w.local.PopBack()
	switch {
	case work == nil:
		w.mayHaveWork.Store(false)
	case repeat:
		w.repeated++
	}
	w.mu.Unlock()
	if work != nil {
		w.tick++
	}
	return work
}

// countCompleted returns how many work items of this worker have ended; mu is held.
func (w *worker) countCompleted() uint64 { return w.loop.Completed() + w.repeated + w.reclaimed }

// steps returns a number that grows when the worker takes or finishes work.
func (w *worker) steps() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.loop.Steps() + 2*w.repeated
}

// popOldest removes and returns the oldest work. Any goroutine may call it.
func (w *worker) popOldest() schedulers.Work {
	if !w.mayHaveWork.Load() {
		return nil
	}
	w.mu.Lock()
	work := w.local.PopFront()
	w.mu.Unlock()
	return work
}

// hasWork reports whether the local queue has work.
func (w *worker) hasWork() bool {
	if !w.mayHaveWork.Load() {
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

// more is the loop's first source of work: it returns the worker's own newest work, unless
// the other queues must be checked first.
func (w *worker) more() schedulers.Work { return w.popNewest(true) }

// due reports whether the worker has to check the other queues before its own.
func (w *worker) due() bool { return (w.tick+1)%fairTick == 0 }

// next is the worker's loop condition: it returns the worker's own newest work, else work
// that the pool finds for it, else nil, which ends the loop.
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

// IsPoolWorker reports whether ctx belongs to work that runs on a worker of a pool,
// directly or through schedulers on top of the pool. It corresponds to .NET's
// Thread.IsThreadPoolThread, but examines a context. It returns false in main, on
// goroutines or threads of the user, in long-running work, which runs outside the workers,
// and for a nil ctx. Since the result depends on the context alone, a goroutine that uses
// the context of work gets the same result as that work. It does not block.
func IsPoolWorker(ctx context.Context) bool {
	w, ok := shim.Find[*worker](schedulers.WorkerFrom(ctx))
	return ok && w != nil
}
