package shim

import (
	"context"

	"github.com/movenext/movenext/schedulers"
)

// pumper is a worker that can do other work of its scheduler while it waits.
type pumper interface {
	Pump(ctx context.Context, done <-chan struct{}) error
}

// Wait waits on the goroutine that believes to be the worker by, or nil, until done is
// closed, which is nil, or until ctx ends, which is its cause. The worker is told, in
// the best way that it understands, and may refuse.
func Wait(ctx context.Context, by schedulers.Worker, done <-chan struct{}) error {
	if p, ok := by.(pumper); ok {
		return p.Pump(ctx, done)
	}
	unblock, err := Block(by)
	if err != nil {
		return err
	}
	defer unblock()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Pump waits for done as [Wait] does on the worker beneath, which may run other work meanwhile.
func (v *Visit) Pump(ctx context.Context, done <-chan struct{}) error {
	return Wait(ctx, v.beneath, done)
}

// Pump gives the turn away, waits for done as [Wait] does on the worker beneath, and takes a
// turn again.
func (t *Turn) Pump(ctx context.Context, done <-chan struct{}) error {
	t.yield()
	defer t.regain()
	return t.Visit.Pump(ctx, done)
}
