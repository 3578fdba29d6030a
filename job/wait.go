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
	by := workerOf(ctx)
	if c.runInPlace(ctx, by) {
		return nil
	}
	return c.park(ctx, current(ctx), by)
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
// whether it has ended.
func (c *core) runFor(ctx context.Context, by schedulers.Worker) bool {
	c.while(current(ctx), func() { c.owner.Run(by) })
	c.mode.ranFor(ctx)
	return c.isCompleted()
}

// while calls f, which works for the end of the job on the goroutine of another one, if behalf is
// not nil. That one waits for this one meanwhile, and shows it.
func (c *core) while(behalf *core, f func()) {
	if behalf == nil {
		f()
		return
	}
	p := &inPlace{job: behalf}
	p.node.Prepare(p)
	if c.waiting.Add(&p.node) {
		defer c.waiting.Remove(&p.node) // does nothing if the job has ended
	}
	f()
}

// inPlace is a job whose goroutine runs another one.
type inPlace struct {
	node continuation.Node
	job  *core
}

func (p *inPlace) waitingJob() (*core, string) { return p.job, "job" }

// Completed implements continuation.Target.
func (p *inPlace) Completed(schedulers.Worker) continuation.Chain { return continuation.Chain{} }
