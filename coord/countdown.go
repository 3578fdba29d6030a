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

// Countdown lets its waiters continue when a number of things are done. The zero
// Countdown counts nothing, so no call waits for it. It can be reused: later calls wait
// for things that are added after it has reached zero.
//
// It is sync.WaitGroup with contexts and without a goroutine, and .NET's
// CountdownEvent.
type Countdown struct {
	mu    interleave.Mutex
	left  int64 // no waiters when it is 0
	queue queue
}

type countdown = Countdown // the receiver of entries; see entered.go

// NewCountdown returns a Countdown of n things. It panics if n is negative.
func NewCountdown(n int64) *Countdown {
	c := new(Countdown)
	c.Add(n)
	return c
}

// Wait waits until nothing is left to be done. It returns nil, or the reason why ctx
// ended. It blocks; its twin is [Countdown.WaitAsync].
func (c *Countdown) Wait(ctx context.Context) error {
	budget.Yield()
	ctx, err := checkContext(ctx)
	if err != nil {
		return err
	}
	if c.Left() == 0 {
		return nil
	}
	_, err = wait[job.Void](ctx, c, job.Void{})
	return err
}

// WaitAsync returns a job that completes when nothing is left to be done, or is
// Canceled when ctx ends first. It allocates nothing if nothing is left.
func (c *Countdown) WaitAsync(ctx context.Context) *job.Job[job.Void] {
	ctx, err := checkContext(ctx)
	if err != nil {
		return promise.FailedVoid(ctx, err)
	}
	if c.Left() == 0 {
		return completedVoid()
	}
	return waitAsync[job.Void](ctx, c, job.Void{})
}

// WaitEnter is [Countdown.Wait] as generated machines call it.
func (c *countdown) WaitEnter(r *statemachine.Run, ctx context.Context) (*statemachine.WaitingVoid[job.Void], error) {
	ctx, err := checkContext(ctx)
	if err != nil || c.Left() == 0 {
		return endEntryVoid[job.Void](r, c, err)
	}
	return enterWaitVoid(r, ctx, c, job.Void{}), nil
}

// Add adds n things to be done; a negative n marks things as done. It panics if more are
// marked than are left, and if the sum overflows.
//
// Call Add before the work begins, not within it: otherwise a Wait in between finds
// nothing left.
func (c *Countdown) Add(n int64) {
	c.mu.Lock()
	left := c.left + n
	if left < 0 {
		had := c.left
		c.mu.Unlock()
		panic(fmt.Sprintf("coord: countdown of %d changed by %d", had, n))
	}
	c.left = left
	var decided outcomes
	if left == 0 {
		decided = c.queue.serveAll(nil)
	}
	c.mu.Unlock()
	decided.deliver(nil)
}

// Done marks one thing as done. It panics if nothing was left.
func (c *Countdown) Done() { c.Add(-1) }

// Left returns the number of things that are left to be done now.
func (c *Countdown) Left() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.left
}

func (c *Countdown) guard() *interleave.Mutex { return &c.mu }

func (c *Countdown) admit(w *waiter) (decided outcomes) {
	if c.left == 0 {
		decided.add(w)
	} else {
		c.queue.push(w)
	}
	return decided
}

func (c *Countdown) cancel(w *waiter) outcomes { return c.queue.cancel(w) }

// giveBack does nothing: the waiter was given nothing.
func (c *Countdown) giveBack(*waiter) outcomes { return outcomes{} }
