package parallel

import (
	"context"
	"time"

	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/schedulers"
)

// bodyContext is the context of the bodies that one goroutine runs.
//
// All goroutines of an operation share its cancellation, but each has its own context,
// because a context also names the current worker: a body that submits work or waits has
// to name the worker that it runs on, not the one that began the operation.
//
// Most bodies use only Err and Value. So the parent's cancellation suffices until a body
// wants a Done channel, or until the operation is stopped. Only then is a real context
// made, once for the operation.
type bodyContext struct {
	op *operation
	on schedulers.Worker
}

type realContext struct {
	context.Context
	cancel context.CancelCauseFunc
}

var _ context.Context = (*bodyContext)(nil)

// Deadline implements context.Context.
func (c *bodyContext) Deadline() (time.Time, bool) { return c.op.parent.Deadline() }

// Done implements context.Context.
func (c *bodyContext) Done() <-chan struct{} { return c.op.materialize().Done() }

// Err implements context.Context.
func (c *bodyContext) Err() error { return c.op.contextErr() }

// Value implements context.Context. Keys that are not ours are passed to the real
// context if there is one: the standard library finds the nearest cancelable
// context by a private key, and must find the one whose Done channel this one returns.
func (c *bodyContext) Value(key any) any {
	switch key {
	case contract.SchedulerKey:
		return c.op.home
	case contract.WorkerKey:
		return c.on
	}
	if r := c.op.real.Load(); r != nil {
		return r.Value(key)
	}
	return c.op.parent.Value(key)
}

func (o *operation) contextErr() error {
	if r := o.real.Load(); r != nil {
		return r.Err()
	}
	if err := o.parent.Err(); err != nil {
		return err
	}
	if o.ended.Load() {
		return context.Canceled
	}
	return nil
}

// materialize makes the real context, or returns the one that was made.
//
// It races with end, and the second of the two cancels: materialize stores the context
// and then reads ended; end writes ended and then reads the context. One of the two sees
// the other.
func (o *operation) materialize() *realContext {
	if r := o.real.Load(); r != nil {
		return r
	}
	ctx, cancel := context.WithCancelCause(o.parent)
	r := &realContext{ctx, cancel}
	if !o.real.CompareAndSwap(nil, r) {
		cancel(nil)
		return o.real.Load()
	}
	if o.ended.Load() {
		cancel(nil)
	}
	return r
}
