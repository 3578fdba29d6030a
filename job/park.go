package job

import (
	"context"
	"errors"
	"strconv"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// park blocks the goroutine until the job or the context has ended. If behalf is not
// nil, the wait is on its behalf.
func (c *core) park(ctx context.Context, behalf *core, by schedulers.Worker) error {
	p := &parked{awake: make(chan struct{}), job: behalf, bounded: bounded(ctx, behalf)}
	p.node.Prepare(p)
	if !c.waiting.Add(&p.node) {
		return nil
	}
	if p.job != nil && !p.bounded {
		// After adding: of two jobs that close a cycle at the same moment, one sees
		// the other.
		if err := circle(p.job, c); err != nil {
			return c.giveUp(p, err)
		}
	}
	err := schedulers.Wait(c.reporting(ctx), by, c.homeFor(ctx), p.awake)
	select {
	case <-p.awake:
		return nil
	default: // whatever a foreign worker says
	}
	if err == nil || ctx.Err() != nil && !errors.Is(err, ErrWouldDeadlock) {
		err = contextError(ctx)
	}
	return c.giveUp(p, err)
}

// reporting returns ctx for a wait for c. It carries the awaited job, if something
// reports that.
func (c *core) reporting(ctx context.Context) context.Context {
	if !schedulers.Followed() || ctx.Value(schedulers.ReasonKey) != nil {
		return ctx
	}
	return context.WithValue(ctx, schedulers.ReasonKey, reason{c})
}

// reason is a job that is waited for.
type reason struct{ of *core }

// Reason implements [schedulers.Reasoner].
func (r reason) Reason() (what, holder string) {
	if x := r.of.rare.Load(); x != nil && x.name != "" {
		return "job " + x.name, ""
	}
	return "job #" + strconv.FormatUint(r.of.extras().id, 10), ""
}

// homeFor returns the scheduler without whose work a wait with ctx would never end, or
// nil.
func (c *core) homeFor(ctx context.Context) schedulers.Scheduler {
	if _, bounded := ctx.Deadline(); bounded || !c.needsHome() {
		return nil
	}
	return c.scheduler()
}

// needsHome reports whether the job is queued at its scheduler or runs there, so that
// only that scheduler will complete it. It is false if that is not certain: for jobs
// that others complete (machines among them, which may be anywhere), jobs that end as
// another one does, wherever that is, and jobs that their creator handed to a
// goroutine.
func (c *core) needsHome() bool {
	if c.own == nil || c.mode&(synchronous|dependent) != 0 {
		return false
	}
	if r := c.rare.Load(); r != nil && r.aside.Load() {
		return false
	}
	s := c.status()
	return s == Scheduled || s == Running && !c.state.isSuspended()
}

// giveUp takes a parked waiter back. If the job has ended at the same moment, the wait
// has succeeded.
func (c *core) giveUp(p *parked, why error) error {
	if !c.waiting.Remove(&p.node) {
		return nil
	}
	return &WaitError{Err: why}
}

// parked is a goroutine that waits for a job. Its channel is fresh: one that was
// pooled could not be used across synctest bubbles.
type parked struct {
	node    continuation.Node
	awake   chan struct{}
	job     *core // on whose behalf it waits, or nil
	bounded bool  // it ends though neither job does
}

// elsewhere reports whether the wait ends by itself, so that the job behind it
// continues.
func (p *parked) elsewhere() bool { return p.bounded }

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
