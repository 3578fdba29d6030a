package statemachine

import (
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/tracking"
	"github.com/movenext/movenext/schedulers"
)

// tellMade tells that the machine of c was made, if its life is to be told. It is called
// before c is registered for the first time: a machine is made where it suspends, and
// has started before. The job of a function literal is older than its machine.
func (c *chain) tellMade() {
	if tracking.Listening() == nil {
		return
	}
	h := c.top.outermost()
	if in := jobcore.Of(h); in != nil {
		in.TellMade(h, c)
	}
}

// tellSuspended tells that c waits for on, if its life is told. It returns the ticket of
// c, which has the given one as a tracked machine.
func (c *chain) tellSuspended(on any, ticket uint32) uint32 {
	if c.tell(tracking.Life{Moment: tracking.Suspended, Of: c, On: on}) && ticket == 0 {
		return tracking.Watched
	}
	return ticket
}

// tell tells a moment of the life of c, if that is told, and reports whether it is. c is
// the caller's.
func (c *chain) tell(l tracking.Life) bool {
	if l.Job = c.told(); l.Job == nil {
		return false
	}
	tracking.Tell(l)
	return true
}

// told returns the job of c if its life is told, else nil.
func (c *chain) told() any {
	if tracking.Listening() == nil {
		return nil
	}
	h := c.top.outermost()
	if in := jobcore.Of(h); in == nil || !in.Told() {
		return nil
	}
	return h
}

// resumed is a chain that tells when it runs again: what it has waited for may have come
// long before. Only chains whose lives are told pay for that.
type resumed struct{ *chain }

// Run implements [schedulers.Work].
func (r *resumed) Run(on schedulers.Worker) {
	r.tell(tracking.Life{Moment: tracking.Resumed})
	r.chain.Run(on)
}

// Abandon implements [schedulers.Work].
func (r *resumed) Abandon(reason error) {
	r.tell(tracking.Life{Moment: tracking.Resumed})
	r.chain.Abandon(reason)
}
