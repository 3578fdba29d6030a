package coord

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// Barrier lets its participants continue together, phase after phase: each waits
// until all have arrived. Make one with [NewBarrier]; the zero Barrier has no
// participants until Add, and blocks no caller.
//
// A participant whose context ends withdraws its arrival: the phase does not end without
// it. (Java's CyclicBarrier breaks for all in that case, so that one impatient
// participant makes the others fail.) A participant that leaves for good calls Add(-1).
//
// It is .NET's Barrier with two differences. Participants are not counted by thread. And it
// has a leader, as Rust's Barrier has, instead of a function that runs between two phases:
// such a function would run while no participant can continue, so it could not suspend.
type Barrier struct {
	mu      interleave.Mutex
	parties int
	phase   uint64
	arrived queue // all but the one that completes the phase
}

type barrier = Barrier // the receiver of entries; see entered.go

// NewBarrier returns a barrier for the given number of participants. It panics if
// parties is not positive.
func NewBarrier(parties int) *Barrier {
	if parties < 1 {
		panic(fmt.Sprintf("coord: barrier of %d participants", parties))
	}
	return &Barrier{parties: parties}
}

// Wait announces the arrival of a participant and waits for the others. It returns true
// to exactly one participant of each phase, which may do the phase's one-time work. If
// ctx ends first, it returns the reason. It blocks; its twin is [Barrier.WaitAsync].
func (b *Barrier) Wait(ctx context.Context) (leader bool, err error) {
	budget.Yield()
	ctx, err = checkContext(ctx)
	if err != nil {
		return false, err
	}
	if b.isLast() {
		return true, nil
	}
	return wait[bool](ctx, b, job.Void{})
}

// WaitAsync returns a job that completes when all participants have arrived, with
// true for exactly one of each phase, or is Canceled when ctx ends first.
func (b *Barrier) WaitAsync(ctx context.Context) *job.Job[bool] {
	ctx, err := checkContext(ctx)
	if err != nil {
		return promise.Failed[bool](ctx, err)
	}
	if b.isLast() {
		return job.FromResult(true)
	}
	return waitAsync[bool](ctx, b, job.Void{})
}

// WaitEnter is [Barrier.Wait] as generated machines call it.
func (b *barrier) WaitEnter(r *statemachine.Run, ctx context.Context) (e *statemachine.Waiting[bool], leader bool, err error) {
	ctx, err = checkContext(ctx)
	if err != nil {
		return endEntry[job.Void](r, b, false, err)
	}
	if b.isLast() {
		return endEntry[job.Void](r, b, true, nil)
	}
	return enterWait[bool](r, ctx, b, job.Void{}), false, nil
}

// isLast ends the phase if the caller is the last to arrive.
func (b *Barrier) isLast() bool {
	b.mu.Lock()
	decided, last := b.arrive()
	b.mu.Unlock()
	decided.deliver(nil)
	return last
}

// Add changes the number of participants by n, from the current phase on. A negative n
// ends the phase if only the leaving participants were missing; the last to arrive is
// then the leader. It panics if fewer participants would remain than are waiting.
func (b *Barrier) Add(n int) {
	b.mu.Lock()
	parties := b.parties + n
	if parties < b.arrived.count {
		had, come := b.parties, b.arrived.count
		b.mu.Unlock()
		panic(fmt.Sprintf("coord: barrier of %d participants, %d of them waiting, changed by %d", had, come, n))
	}
	b.parties = parties
	var decided outcomes
	if last := b.arrived.last; last != nil && b.arrived.count == parties {
		decided = b.endPhase()
		callOf[bool, job.Void](last).value = true // decided is delivered below
	}
	b.mu.Unlock()
	decided.deliver(nil)
}

// Phase returns the number of phases that have ended.
func (b *Barrier) Phase() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.phase
}

// arrive ends the phase if only one participant was missing, and reports whether
// it did. That participant is not in the queue.
func (b *Barrier) arrive() (decided outcomes, last bool) {
	if b.arrived.count+1 < b.parties {
		return decided, false
	}
	return b.endPhase(), true
}

// endPhase lets all waiters continue.
func (b *Barrier) endPhase() outcomes {
	b.phase++
	return b.arrived.serveAll(nil)
}

func (b *Barrier) guard() *interleave.Mutex { return &b.mu }

func (b *Barrier) admit(w *waiter) outcomes {
	decided, last := b.arrive()
	if !last {
		b.arrived.push(w)
		return decided
	}
	callOf[bool, job.Void](w).value = true
	decided.add(w)
	return decided
}

func (b *Barrier) cancel(w *waiter) outcomes { return b.arrived.cancel(w) }
