package durable

import (
	"context"
	"errors"
	"slices"

	"github.com/movenext/movenext/durable/stores"
)

// wakeHandles wakes the handles that wait for an instance.
func (e *Engine) wakeHandles(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, wake := range e.waiters[id] {
		notify(wake)
	}
}

// listen registers a channel that is notified when the instance ends in this process, or when
// this engine shuts down.
func (e *Engine) listen(id string) (wake chan struct{}, stop func()) {
	wake = make(chan struct{}, 1)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiters[id] = append(e.waiters[id], wake)
	return wake, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.waiters[id] = slices.DeleteFunc(e.waiters[id], func(c chan struct{}) bool { return c == wake })
		if len(e.waiters[id]) == 0 {
			delete(e.waiters, id)
		}
	}
}

// awaitEnd returns the record of an instance once it has ended.
func (e *Engine) awaitEnd(ctx context.Context, id string) (*stores.Record, error) {
	return e.awaitRecord(ctx, id, func(r *stores.Record) (bool, error) { return r.Status.Ended(), nil })
}

// awaitRecord returns the record of an instance once ready accepts it.
func (e *Engine) awaitRecord(ctx context.Context, id string, ready func(*stores.Record) (bool, error)) (*stores.Record, error) {
	changed, stop := e.listen(id)
	defer stop()
	for {
		r, err := e.load(ctx, id)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, ErrNotFound) || isFinal(err):
			return nil, err
		}
		if err == nil {
			if ok, err := ready(r); ok || err != nil {
				return r, err
			}
		}
		if e.ctx.Err() != nil {
			return nil, ErrShutdown
		}
		// Another process may change the record without a notification, and a store may fail for
		// a while.
		e.place.Wait(ctx, changed, e.poll)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
}
