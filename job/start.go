package job

import (
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// start submits a Created job to its scheduler.
func (c *core) start(opts []Option) error {
	if c.own == nil {
		return ErrStarted
	}
	o := merge(opts)
	if o.name != "" || o.diagnose != 0 {
		return ErrOption
	}
	if err := o.check(forStart); err != nil {
		return err
	}
	switch {
	case o.setOn && !c.startOn(o.home()), !o.setOn && !c.state.start():
		return ErrStarted
	}
	b := c.own
	return c.submit(b.home, c.flags|o.flags)
}

// startIfCreated starts the job if no caller has started it yet.
func (c *core) startIfCreated() {
	if c.own != nil && c.status() == Created {
		// A refusal faults the job, and a lost race means that another caller started
		// it: in both cases the caller can wait for it.
		_ = c.start(nil)
	}
}

// startOn is state.start for a scheduler other than the one that the job was made with. A
// waiter reads the scheduler as soon as it sees Scheduled, so status and scheduler change
// together, under the lock that the waiter takes. A Start that loses changes neither.
func (c *core) startOn(home *schedulers.Home) bool {
	r := c.ensureExtra()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !c.state.start() {
		return false
	}
	c.own.home = home
	return true
}

// scheduler returns the scheduler that a job seen as Scheduled was submitted to.
func (c *core) scheduler() schedulers.Scheduler {
	if r := interleave.LoadPointer(&c.extra); r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
	}
	return c.own.home.Scheduler
}

// submit submits a Scheduled job to its home. A refusal faults the job and is returned.
func (c *core) submit(home *schedulers.Home, flags schedulers.Flags) error {
	from := workerOf(c.own.parent)
	return c.submitFrom(home.Scheduler, schedulers.Hint{From: from, Flags: flags})
}

func (c *core) submitFrom(s schedulers.Scheduler, from schedulers.Hint) error {
	err := dispatch.TryOffer(s, c.work(), from)
	if err == nil {
		return nil
	}
	err = refusalError(err)
	if c.state.reserve(Scheduled) {
		c.abort(Faulted, err).Deliver(from.From)
	}
	return err
}

// cancel is Job.CancelCause.
func (c *core) cancel(cause error) bool {
	if c.own == nil || c.isCompleted() || c.mode&unstoppable != 0 {
		return false
	}
	// The parent context may run user code. It is called before the right to complete is
	// won, so that a panic in it does not leave a job that can never be completed.
	b := c.own
	r := b.materialize()
	if c.state.reserveUnstarted() {
		b.interrupt(cause)
		c.abort(Canceled, contextError(r.ctx)).Deliver(nil)
		return true
	}
	if c.status() != Running {
		return false
	}
	b.interrupt(cause)
	return true
}
