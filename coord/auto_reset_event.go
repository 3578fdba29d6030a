package coord

import (
	"context"

	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// AutoResetEvent lets one waiter continue for each Set: a turnstile. The zero
// AutoResetEvent is not set.
//
// It remembers at most one Set without a waiter; further Sets have no effect. Use a
// [Semaphore] or a [Channel] if each one must count.
//
// It is .NET's AutoResetEvent without a thread.
type AutoResetEvent struct {
	mu    interleave.Mutex
	isSet bool // no waiter then
	queue queue
}

type autoResetEvent = AutoResetEvent // the receiver of entries; see entered.go

// Wait waits until the event is set and resets it. It returns nil, or the reason why ctx ended,
// in which case the event is unchanged. It blocks; its twin is [AutoResetEvent.WaitAsync].
func (e *AutoResetEvent) Wait(ctx context.Context) error {
	budget.Yield()
	ctx, err := checkContext(ctx)
	if err != nil {
		return err
	}
	if e.TryWait() {
		// Yield with the signal consumed: in a search, others must be able to find it taken.
		budget.Yield()
		return nil
	}
	_, err = wait[job.Void](ctx, e, job.Void{})
	return err
}

// WaitAsync returns a job that completes when the event is set, which resets it,
// or is Canceled when ctx ends first. It allocates nothing if the event is set.
func (e *AutoResetEvent) WaitAsync(ctx context.Context) *job.Job[job.Void] {
	ctx, err := checkContext(ctx)
	if err != nil {
		return promise.FailedVoid(ctx, err)
	}
	if e.TryWait() {
		return completedVoid()
	}
	return waitAsync[job.Void](ctx, e, job.Void{})
}

// WaitEnter is [AutoResetEvent.Wait] as generated machines call it.
func (e *autoResetEvent) WaitEnter(r *statemachine.Run, ctx context.Context) (*statemachine.WaitingVoid[job.Void], error) {
	ctx, err := checkContext(ctx)
	if err != nil {
		return endEntryVoid[job.Void](r, e, err)
	}
	if r.Proceed() && e.TryWait() {
		return nil, nil
	}
	return enterWaitVoid(r, ctx, e, job.Void{}), nil
}

// TryWait resets the event and reports whether it was set.
func (e *AutoResetEvent) TryWait() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.take()
}

// Set lets the first waiter continue or, without waiters, the next caller.
func (e *AutoResetEvent) Set() {
	e.mu.Lock()
	decided := e.signal()
	e.mu.Unlock()
	decided.deliver(nil)
}

// signal lets one waiter continue: the first or, without waiters, the next
// caller.
func (e *AutoResetEvent) signal() (decided outcomes) {
	if e.queue.empty() {
		e.isSet = true
	} else {
		decided.add(e.queue.pop())
	}
	return decided
}

// Reset undoes a Set that no waiter has consumed.
func (e *AutoResetEvent) Reset() { e.TryWait() }

// take resets a set event.
func (e *AutoResetEvent) take() bool {
	was := e.isSet
	e.isSet = false
	return was
}

func (e *AutoResetEvent) guard() *interleave.Mutex { return &e.mu }

func (e *AutoResetEvent) admit(w *waiter) (decided outcomes) {
	if e.take() {
		decided.add(w)
	} else {
		e.queue.push(w)
	}
	return decided
}

func (e *AutoResetEvent) cancel(w *waiter) outcomes { return e.queue.cancel(w) }

func (e *AutoResetEvent) giveBack(*waiter) outcomes { return e.signal() }
