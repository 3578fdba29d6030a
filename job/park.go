package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// park blocks the goroutine, which waits on behalf of behalf if that is not nil, until the job or
// the context has ended.
func (c *core) park(ctx context.Context, behalf *core, by schedulers.Worker) error {
	p := &parked{awake: make(chan struct{}), job: behalf}
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
	unblock, err := c.announce(ctx, by, p)
	if err != nil {
		return c.giveUp(p, err)
	}
	defer unblock()
	select {
	case <-p.awake:
		return nil
	case <-ctx.Done():
		return c.giveUp(p, contextError(ctx))
	}
}

// announce tells the worker by, if it wants to know, that p is going to wait.
func (c *core) announce(ctx context.Context, by schedulers.Worker, p *parked) (unblock func(), err error) {
	if b, ok := by.(schedulers.HomeBlocker); ok {
		if _, bounded := ctx.Deadline(); !bounded && c.needsHome() {
			return b.BlockFor(c.scheduler(), p.awake)
		}
	}
	if b, ok := by.(schedulers.Blocker); ok {
		return b.Block()
	}
	return func() {}, nil
}

// needsHome reports whether the job is queued at its scheduler, or runs there, so that nobody else will
// complete it. It is false if that is not certain: jobs that others complete (machines among them, which
// may be anywhere), jobs that end as another one does, wherever that is, and jobs that were handed to a goroutine
// by who made them.
func (c *core) needsHome() bool {
	if c.own == nil || c.mode&(synchronous|dependent) != 0 {
		return false
	}
	if r := c.rare.Load(); r != nil && r.aside.Load() {
		return false
	}
	s := c.state.status()
	return s == Scheduled || s == Running
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
