package coord

import (
	"context"

	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// ManualResetEvent lets all callers continue while it is set: a gate. The zero
// ManualResetEvent is not set.
//
// Set followed at once by Reset lets exactly the waiters at the moment of Set continue:
// they are served under the event's lock and do not check the event again.
//
// It is .NET's ManualResetEvent without a thread.
type ManualResetEvent struct {
	mu    interleave.Mutex
	isSet bool // no waiters then
	queue queue
}

type manualResetEvent = ManualResetEvent // the receiver of entries; see entered.go

// Wait waits until the event is set. It returns nil, or the reason why ctx ended. It
// blocks; its twin is [ManualResetEvent.WaitAsync].
func (e *ManualResetEvent) Wait(ctx context.Context) error {
	budget.Yield()
	ctx, err := checkContext(ctx)
	if err != nil {
		return err
	}
	if e.IsSet() {
		return nil
	}
	_, err = wait[job.Void](ctx, e, job.Void{})
	return err
}

// WaitAsync returns a job that completes when the event is set, or is Canceled when ctx
// ends first. It allocates nothing if the event is set.
func (e *ManualResetEvent) WaitAsync(ctx context.Context) *job.Job[job.Void] {
	ctx, err := checkContext(ctx)
	if err != nil {
		return promise.FailedVoid(ctx, err)
	}
	if e.IsSet() {
		return completedVoid()
	}
	return waitAsync[job.Void](ctx, e, job.Void{})
}

// WaitEnter is [ManualResetEvent.Wait] as generated machines call it.
func (e *manualResetEvent) WaitEnter(r *statemachine.Run, ctx context.Context) (*statemachine.WaitingVoid[job.Void], error) {
	ctx, err := checkContext(ctx)
	if err != nil || e.IsSet() {
		return endEntryVoid[job.Void](r, e, err)
	}
	return enterWaitVoid(r, ctx, e, job.Void{}), nil
}

// Set opens the gate: all waiters continue, in order of arrival, and so do later
// callers, until Reset.
func (e *ManualResetEvent) Set() {
	e.mu.Lock()
	e.isSet = true
	decided := e.queue.serveAll(nil)
	e.mu.Unlock()
	decided.deliver(nil)
}

// Reset closes the gate.
func (e *ManualResetEvent) Reset() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.isSet = false
}

// IsSet reports whether the gate is open now.
func (e *ManualResetEvent) IsSet() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.isSet
}

func (e *ManualResetEvent) guard() *interleave.Mutex { return &e.mu }

func (e *ManualResetEvent) admit(w *waiter) (decided outcomes) {
	if e.isSet {
		decided.add(w)
	} else {
		e.queue.push(w)
	}
	return decided
}

func (e *ManualResetEvent) cancel(w *waiter) outcomes { return e.queue.cancel(w) }

// giveBack does nothing: the waiter was given nothing.
func (e *ManualResetEvent) giveBack(*waiter) outcomes { return outcomes{} }
