package shim

import (
	"context"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/shutdown"
	"github.com/movenext/movenext/schedulers"
)

// Worker is a worker of a shim: what the work of one home sees on one worker of the scheduler
// beneath. SetBeneath sets that before the work sees it. It is constant from then on, even after
// the work has ended, because a context may keep it for long. So work items that run there one
// after another may see the same one.
type Worker struct {
	home    schedulers.Scheduler // set earlier, when the work is accepted
	beneath schedulers.Worker    // an unnamedWorker: no particular one; nil: not set yet
}

// SetBeneath records that the work begins to run on a worker of the scheduler beneath, or on no
// particular worker if worker is nil.
func (w *Worker) SetBeneath(worker schedulers.Worker) {
	if worker == nil {
		worker = newUnnamedWorker()
	}
	w.beneath = worker
}

// Scheduler implements [schedulers.Worker].
func (w *Worker) Scheduler() schedulers.Scheduler { return w.home }

// ID implements [schedulers.Worker]. It is the ID of the worker beneath, which is unique among
// running work items, as an ID has to be. Before SetBeneath it is 0.
func (w *Worker) ID() int {
	if w.beneath == nil {
		return 0
	}
	return w.beneath.ID()
}

// Beneath returns the worker of the scheduler beneath, or nil.
func (w *Worker) Beneath() schedulers.Worker {
	if w == nil {
		return nil
	}
	if _, unnamed := w.beneath.(unnamedWorker); unnamed {
		return nil
	}
	return w.beneath
}

// Block implements [schedulers.Blocker] by announcing the wait to the worker beneath.
func (w *Worker) Block() (unblock func(), err error) { return Block(w.beneath) }

// BlockFor implements [dispatch.HomeBlocker] by announcing the wait to the worker beneath,
// which checks with [schedulers.RunsOn] whether work of home runs on its scheduler.
func (w *Worker) BlockFor(home schedulers.Scheduler, done <-chan struct{}) (unblock func(), err error) {
	if b, ok := w.beneath.(dispatch.HomeBlocker); ok {
		return b.BlockFor(home, done)
	}
	return Block(w.beneath)
}

// Block announces to w that its goroutine is about to block, if w is a Blocker.
func Block(w schedulers.Worker) (unblock func(), err error) {
	if b, ok := w.(schedulers.Blocker); ok {
		return b.Block()
	}
	return func() {}, nil
}

// layeredWorker is a worker on top of another one: a Worker, or a type that embeds it. Its
// method returns nil for a nil receiver, since a hint may be a nil pointer.
type layeredWorker interface{ Beneath() schedulers.Worker }

// Beneath returns the worker at the bottom of w's layers, which is w itself if it
// is on top of none.
func Beneath(w schedulers.Worker) schedulers.Worker {
	for {
		v, ok := w.(layeredWorker)
		if !ok {
			return w
		}
		w = v.Beneath()
	}
}

// Find returns the first worker that is a W, among w and the workers beneath it, or false.
func Find[W any](w schedulers.Worker) (found W, ok bool) {
	for w != nil {
		if found, ok = w.(W); ok {
			return found, true
		}
		v, more := w.(layeredWorker)
		if !more {
			break
		}
		w = v.Beneath()
	}
	return found, false
}

// unnamedWorker takes the place of the worker beneath where there is none. Its value is its ID,
// from a separate range, far above any number of workers; the range is reused after a million.
type unnamedWorker int

const (
	firstUnnamed = 1 << 20
	maxUnnamed   = 1<<20 - 1
)

var unnamed interleave.Uint32

func newUnnamedWorker() unnamedWorker {
	return unnamedWorker(firstUnnamed + int(unnamed.Add(1)&maxUnnamed))
}

// Scheduler implements [schedulers.Worker].
func (unnamedWorker) Scheduler() schedulers.Scheduler { return nil }

// ID implements [schedulers.Worker].
func (w unnamedWorker) ID() int { return int(w) }

// Pump implements [schedulers.Pumper]: it waits like [schedulers.Wait] on the worker
// beneath, which may run other work meanwhile.
func (w *Worker) Pump(ctx context.Context, home schedulers.Scheduler, done <-chan struct{}) error {
	if w.Beneath() == nil {
		// Not Wait: it would find this worker with Here, and call this method again.
		return shutdown.Await(ctx, done, func() {})
	}
	return schedulers.Wait(ctx, w.beneath, home, done)
}

// Pump gives up the turn, waits like [schedulers.Wait] on the worker beneath, and
// regains a turn.
func (t *Turn) Pump(ctx context.Context, home schedulers.Scheduler, done <-chan struct{}) error {
	t.yield()
	defer t.regain(t.Beneath())
	return t.Worker.Pump(ctx, home, done)
}
