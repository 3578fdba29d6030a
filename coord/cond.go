package coord

import (
	"context"

	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/statemachine"
)

// Cond lets goroutines that hold a lock wait until another one has changed the state
// that the lock guards. Set L before first use, or make a Cond with [NewCond].
//
//	if err := m.Lock(ctx); err != nil { return err }
//	defer m.Unlock()
//	for !ready {                       // a loop: others may have been quicker
//		if err := c.Wait(ctx); err != nil { return err }
//	}
//
// # Signaled or canceled
//
// A wait has two halves: first for a signal, then for the lock. One waiter goes through
// two queues, the Cond's and then the mutex's. Both are guarded by the mutex's inner
// lock, so moving from one to the other is one step:
//
//	Wait            L is released, the waiter enters the Cond's queue
//	Signal          it moves to L's queue; the wait will succeed
//	context ends    it moves to L's queue; the wait will fail
//	L is released   like any other waiter of L it gets the lock, and is notified
//
// The waiter is decided when it moves. So a context that ends after the signal is too
// late, and a signal after the end of the context goes to the next waiter in the queue:
// no signal is lost on a waiter that no longer wants it. And no waiter wakes up only to
// find the lock taken: a Broadcast to a thousand waiters wakes one, whose Unlock wakes
// the next.
//
// The second half has no context. The tempting shortcut, to return without the lock
// when ctx ends, would make the deferred Unlock above unlock a lock that another
// goroutine holds.
type Cond struct {
	// L must be held when Wait is called, and is held again when it returns.
	L *Mutex

	queue queue // guarded by L.mu
}

type cond = Cond // the receiver of entries; see entered.go

// NewCond returns a Cond for holders of l.
func NewCond(l *Mutex) *Cond { return &Cond{L: l} }

// Wait unlocks L, waits for a signal, and locks L again. It returns nil, the reason why
// ctx ended, or schedulers.ErrWouldDeadlock; L is held in every case. If ctx has already
// ended, L is not unlocked in between. It panics if L is not held. It blocks, and waits
// for the lock even after ctx has ended; its twin is [Cond.WaitAsync].
func (c *Cond) Wait(ctx context.Context) error {
	c.mustBeHeld()
	ctx, err := checkContext(ctx)
	if err != nil {
		return err
	}
	// Whether the worker may block must be known while Wait can still return: once the
	// lock is released, it is too late to learn that waiting for it again would take
	// forever. (A worker that pumps is different: it runs other work, and only then
	// knows that nothing more can happen.)
	worker := schedulers.WorkerFrom(ctx)
	if worker == nil {
		worker = schedulers.Here()
	}
	_, pumps := worker.(schedulers.Pumper)
	if b, ok := worker.(schedulers.Blocker); ok && !pumps {
		unblock, err := b.Block()
		if err != nil {
			return err
		}
		defer unblock()
		ctx = blockedContext{ctx, bareWorker{worker}}
	}
	_, err = wait[job.Void](ctx, c, job.Void{})
	c.L.holder.record(ctx) // however the wait has ended
	return err
}

// WaitAsync unlocks L and returns a job that completes once it has been signaled and L
// is held again. If ctx ends before the signal, the job is Canceled once L is held
// again. It panics if L is not held.
func (c *Cond) WaitAsync(ctx context.Context) *job.Job[job.Void] {
	c.mustBeHeld()
	ctx, err := checkContext(ctx)
	if err != nil {
		return promise.FailedVoid(ctx, err)
	}
	return waitAsync[job.Void](ctx, c, job.Void{})
}

// WaitEnter is [Cond.Wait] as generated machines call it.
func (c *cond) WaitEnter(r *statemachine.Run, ctx context.Context) (*statemachine.WaitingVoid[job.Void], error) {
	c.mustBeHeld()
	ctx, err := checkContext(ctx)
	if err != nil {
		return endEntryVoid[job.Void](r, c, err)
	}
	return enterWaitVoid(r, ctx, c, job.Void{}), nil
}

// Signal lets the first waiter continue, if any. The caller may, but need not, hold L.
func (c *Cond) Signal() { c.signal(1) }

// Broadcast lets all waiters continue, in order of arrival, one after the other since
// each needs L. The caller may, but need not, hold L.
func (c *Cond) Broadcast() { c.signal(-1) }

// signal moves n waiters, or all if n is negative, to L's queue.
func (c *Cond) signal(n int) {
	c.L.mu.Lock()
	decided := c.wake(n)
	c.L.mu.Unlock()
	decided.deliver(nil)
}

// wake moves the first n waiters, or all if n is negative, to the queue of L.
func (c *Cond) wake(n int) (decided outcomes) {
	for ; n != 0 && !c.queue.empty(); n-- {
		w := c.queue.pop()
		w.decided = true
		decided.append(c.L.admit(w))
	}
	return decided
}

// mustBeHeld panics if L is not held. It is called before any change that a panic would
// leave behind.
func (c *Cond) mustBeHeld() {
	if c.L.TryLock() {
		c.L.Unlock()
		panic("coord: wait on a Cond whose L is not locked")
	}
}

// holderOf returns nil: a wait for a signal waits for no known holder.
func (c *Cond) held(*waiter) (what any, by *probe.Holder) { return c, nil }

func (c *Cond) recordHolder(r *statemachine.Run, _ *waiter) { c.L.holder.recordMachine(r) }

func (c *Cond) guard() *interleave.Mutex { return &c.L.mu }

// admit queues the waiter before it releases the lock, so that the next holder can
// signal the waiter.
func (c *Cond) admit(w *waiter) outcomes {
	c.queue.push(w)
	return c.L.release()
}

// cancel moves the waiter to the lock's queue: its wait has failed, and ends when L is held.
func (c *Cond) cancel(w *waiter) outcomes {
	c.queue.remove(w)
	return c.L.admit(w)
}

// giveBack passes the signal on. L stays held, as in every case.
func (c *Cond) giveBack(*waiter) outcomes { return c.wake(1) }

// blockedContext is a context whose worker already knows that it blocks.
type blockedContext struct {
	context.Context
	worker bareWorker
}

// Value implements context.Context.
func (c blockedContext) Value(key any) any {
	if key == contract.WorkerKey {
		return c.worker
	}
	return c.Context.Value(key)
}

// bareWorker is a worker without its optional methods, which would notify it.
type bareWorker struct{ worker schedulers.Worker }

// Scheduler implements schedulers.Worker.
func (t bareWorker) Scheduler() schedulers.Scheduler { return t.worker.Scheduler() }

// ID implements schedulers.Worker.
func (t bareWorker) ID() int { return t.worker.ID() }
