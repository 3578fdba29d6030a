package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// wait blocks until the job has ended (nil) or the wait has (a *WaitError).
func (c *core) wait(ctx context.Context) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if c.state.status() == Created {
		return ErrNotStarted
	}
	if ctx.Err() != nil {
		return &WaitError{Err: contextError(ctx)}
	}
	by := schedulers.WorkerFrom(ctx)
	if c.runInPlace(ctx, by) {
		return nil
	}
	return c.park(ctx, by)
}

// runInPlace runs a job that is still queued on the waiter's own goroutine, if its
// scheduler consents: a sub-job waited for by the only worker would otherwise
// never run. A wait with a deadline does not, since running can not be bounded. A job
// that calls runtime.Goexit ends its waiter's goroutine too, then.
func (c *core) runInPlace(ctx context.Context, by schedulers.Worker) bool {
	if c.owner == nil || c.state.status() != Scheduled {
		return false
	}
	if _, bounded := ctx.Deadline(); bounded {
		return false
	}
	s, ok := c.scheduler().(schedulers.Consenter)
	if !ok || !s.MayRunInPlace(c.owner, by) {
		return false
	}
	return c.runFor(ctx, by)
}

// runFor runs the job on the goroutine of ctx's job, if no worker has claimed it meanwhile, and reports
// whether it has ended. That job waits for this one then, and shows it as other waiters do.
func (c *core) runFor(ctx context.Context, by schedulers.Worker) bool {
	below := current(ctx)
	if below == nil {
		c.owner.Run(by)
		c.ranFor(ctx)
		return c.isCompleted()
	}
	p := &inPlace{job: below}
	p.node.Prepare(p)
	c.waiting.Add(&p.node)
	c.owner.Run(by)
	c.ranFor(ctx)
	c.waiting.Remove(&p.node) // does nothing if the job has ended
	return c.isCompleted()
}

// inPlace is a job whose goroutine runs another one.
type inPlace struct {
	node continuation.Node
	job  *core
}

func (p *inPlace) waitingJob() (*core, string) { return p.job, "job" }

// Completed implements continuation.Target.
func (p *inPlace) Completed(schedulers.Worker) continuation.Chain { return continuation.Chain{} }

// park blocks the goroutine until the job or the context has ended.
func (c *core) park(ctx context.Context, by schedulers.Worker) error {
	p := &parked{awake: make(chan struct{}), job: current(ctx)}
	p.node.Prepare(p)
	if !c.waiting.Add(&p.node) {
		return nil
	}
	if p.job != nil {
		// After adding: of two who close a circle at the same moment, one sees the other.
		if err := circle(p.job, c); err != nil {
			return c.giveUp(p, err)
		}
	}
	if b, ok := by.(schedulers.Blocker); ok {
		unblock, err := b.Block()
		if err != nil {
			return c.giveUp(p, err)
		}
		defer unblock()
	}
	select {
	case <-p.awake:
		return nil
	case <-ctx.Done():
		return c.giveUp(p, contextError(ctx))
	}
}

// giveUp takes a parked waiter back. If the job has ended at the same moment, the wait has succeeded.
func (c *core) giveUp(p *parked, why error) error {
	if !c.waiting.Remove(&p.node) {
		return nil
	}
	return &WaitError{Err: why}
}

// parked is a goroutine that waits for a job. Its channel is fresh: one that was
// pooled could not be used across synctest bubbles.
type parked struct {
	node  continuation.Node
	awake chan struct{}
	job   *core // on whose behalf it waits, or nil
}

func (p *parked) waitingJob() (*core, string) {
	if p.job == nil {
		return nil, "goroutine"
	}
	return p.job, "job"
}

// Completed implements continuation.Target.
func (p *parked) Completed(schedulers.Worker) continuation.Chain {
	close(p.awake)
	return continuation.Chain{}
}
