package cancellable

import (
	"context"
	"sync"

	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
)

// ticket implements an item: it is submitted to the scheduler beneath, and it is the
// worker that the work sees.
type ticket struct {
	shim.Handle
	scheduler *Scheduler
	item      *Item
	parent    context.Context // of the work's context

	mu        sync.Mutex
	withdrawn bool
	cause     error // of an abort; nil: none
	ctx       context.Context
	cancel    context.CancelCauseFunc // nil: ctx was not made
}

// Run implements [schedulers.Work].
func (t *ticket) Run(on schedulers.Worker) { t.RunOn(on, t, t) }

// Abandon implements [schedulers.Work].
func (t *ticket) Abandon(reason error) { t.GiveUp(reason) }

// Beneath returns the worker of the scheduler beneath.
func (t *ticket) Beneath() schedulers.Worker {
	if t == nil {
		return nil
	}
	return t.Worker.Beneath()
}

// HandleEnd is called when the work has ended.
func (t *ticket) HandleEnd() {
	t.scheduler.forget(t.item)
	t.abort(context.Canceled) // releases the resources of the context
	t.Handle.HandleEnd()
}

// HandleGiveUp is called when the work was abandoned.
func (t *ticket) HandleGiveUp(reason error) {
	t.scheduler.forget(t.item)
	t.Handle.HandleGiveUp(reason)
}

// withdraw takes the work out of the queue if it is there, and returns the state in which
// it found the item. The lock makes this one step for concurrent callers.
func (t *ticket) withdraw() (State, schedulers.Work) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w := t.Take(); w != nil {
		t.withdrawn = true
		return Queued, w
	}
	return t.beginState(), nil
}

func (t *ticket) state() State {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Queued() {
		return Queued
	}
	return t.beginState()
}

// beginState returns the state, which is not Queued; mu is held.
func (t *ticket) beginState() State {
	gone, reason := t.Gone()
	switch {
	case t.withdrawn || reason != nil:
		return Withdrawn
	case gone:
		return Ended
	default:
		return Running
	}
}

// abort ends the work's context.
func (t *ticket) abort(cause error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cause == nil {
		t.cause = cause
	}
	if t.cancel != nil {
		t.cancel(t.cause)
	}
}

// context returns the work's context, which is made on the first call.
func (t *ticket) context() context.Context {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cancel == nil {
		t.ctx, t.cancel = context.WithCancelCause(t.parent)
		if t.cause != nil {
			t.cancel(t.cause)
		}
	}
	return t.ctx
}

// Of returns the context of the work that runs on a worker of this package, even with
// other shims in between. It ends when the item is canceled and when the work has
// ended. For any other worker, and for nil, it is a context that never ends.
func Of(on schedulers.Worker) context.Context {
	if t, ok := shim.Find[*ticket](on); ok && t != nil {
		return t.context()
	}
	return context.Background()
}

// function is a function as work.
type function func(context.Context)

// Run implements [schedulers.Work].
func (f function) Run(on schedulers.Worker) {
	ctx := schedulers.With(Of(on), on.Scheduler())
	f(context.WithValue(ctx, contract.WorkerKey, on))
}

// Abandon implements [schedulers.Work].
func (function) Abandon(error) {}
