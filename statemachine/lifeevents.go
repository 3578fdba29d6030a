package statemachine

import (
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/tracking"
	"github.com/movenext/movenext/schedulers"
)

// tellCreated tells listeners that the machine of c was made, if its life is to be told. It is
// called before c is registered for the first time: a machine is made when it first suspends,
// and has started before that. The job of a function literal is older than its machine.
func (c *chain) tellCreated() {
	if !probe.On(probe.Lives) {
		return
	}
	h := outermostJob(c.top)
	if in := jobcore.Of(h); in != nil {
		in.TellMade(h, c)
	}
}

// tellSuspended tells listeners that c waits for on, if its life is told. ticket is that
// of a tracked machine, or 0; tellSuspended returns the ticket that c has now.
func (c *chain) tellSuspended(on any, ticket uint32) uint32 {
	if c.tell(tracking.Life{Moment: tracking.Suspended, Machine: c, Awaited: on}) && ticket == 0 {
		return tracking.ToldOnly
	}
	return ticket
}

// tell tells an event of the life of c, if that life is told, and reports whether it is.
// The caller owns c.
func (c *chain) tell(l tracking.Life) bool {
	if l.Job = c.listenedJob(); l.Job == nil {
		return false
	}
	tracking.Tell(l)
	return true
}

// listenedJob returns the job of c if its life is told, else nil.
func (c *chain) listenedJob() any {
	if !probe.On(probe.Lives) {
		return nil
	}
	h := outermostJob(c.top)
	if in := jobcore.Of(h); in == nil || !in.IsTold() {
		return nil
	}
	return h
}

// resumed is a chain that tells listeners when it runs again, which may be long after
// the awaited operation has ended. Only chains whose lives are told pay for that.
type resumed struct{ *chain }

// Run implements [schedulers.Work].
func (r *resumed) Run(worker schedulers.Worker) {
	r.tell(tracking.Life{Moment: tracking.Resumed})
	r.chain.Run(worker)
}

// Abandon implements [schedulers.Work].
func (r *resumed) Abandon(reason error) {
	r.tell(tracking.Life{Moment: tracking.Resumed})
	r.chain.Abandon(reason)
}
