package shim

import (
	"context"

	"github.com/movenext/movenext/internal/ending"
	"github.com/movenext/movenext/schedulers"
)

// Pump implements [schedulers.Pumper]: it waits like [schedulers.Wait] on the worker
// beneath, which may run other work meanwhile.
func (v *Visit) Pump(ctx context.Context, home schedulers.Scheduler, done <-chan struct{}) error {
	if v.beneath == nil {
		// Not Wait, which would ask where it is, and come here again.
		return ending.Await(ctx, done, func() {})
	}
	return schedulers.Wait(ctx, v.beneath, home, done)
}

// Pump gives up the turn, waits like [schedulers.Wait] on the worker beneath, and
// regains a turn.
func (t *Turn) Pump(ctx context.Context, home schedulers.Scheduler, done <-chan struct{}) error {
	t.yield()
	defer t.regain(t.Beneath())
	return t.Visit.Pump(ctx, home, done)
}
