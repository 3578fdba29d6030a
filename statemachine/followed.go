package statemachine

import (
	"fmt"

	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/tracking"
	"github.com/movenext/movenext/schedulers"
)

// # Chains that are followed
//
// The home of a chain may want to know that the chain is suspended: see
// [probe.Follower]. It is notified before the chain is registered, since after that
// the chain may be anywhere, and before and after the chain is submitted again. It is
// not notified of a sleep: the timer is armed, so the sleep will end.
//
// Package inspect may want to know it of all chains: see [tracking.Enter]. Then sleeps
// are entered too.
//
// Neither is notified of a chain that yields or moves, until its turn has come. Listeners to
// lives are notified of the same events as package inspect, and of the making of
// machines: see lifeevents.go.

// registerFollowed is register while anybody watches suspensions. f is nil if the home does
// not follow the chain.
func (r *Run) registerFollowed(c *chain, f probe.Follower) bool {
	if r.holder != nil {
		r.holder.Is(c.work())
	}
	if r.cache == nil {
		c.tellCreated()
	}
	on, sleeps := r.awaiting, false
	switch on.(type) {
	case nil, *switching:
		return r.registerAwaited(c)
	case sleeping, *guardedSleeping:
		on, sleeps = tracking.Sleep(r.pause), true
	default:
		if budget.Spent(r.ready) {
			return r.yieldFirst(c)
		}
	}
	c.top.ticket = c.tellSuspended(on, tracking.Enter(c, on))
	if sleeps {
		f = nil
	}
	if f != nil {
		f.Suspended(c, on)
	}
	if r.registerAwaited(c) {
		return true
	}
	if c.untrack() {
		c.tell(tracking.Life{Moment: tracking.Resumed})
	}
	if f != nil {
		f.Resumed(c)
		f.Arrived() // it already runs
	}
	return false
}

// unfollow notifies the home of c, if it follows c, that c continues. It returns that
// home, which is to be notified when c has been submitted; c itself must not be used
// then. told reports whether the life of c is told.
func (c *chain) unfollow() (f probe.Follower, told bool) {
	f, told = c.top.home.Follower, c.untrack()
	if f != nil {
		f.Resumed(c)
	}
	return f, told
}

// unfollowNow is unfollow for a chain that runs at once or very soon.
func (c *chain) unfollowNow() probe.Follower {
	f, told := c.unfollow()
	if told {
		c.tell(tracking.Life{Moment: tracking.Resumed})
	}
	return f
}

// untrack removes c, which continues, from the table of suspended machines, and reports
// whether its life is told.
func (c *chain) untrack() (told bool) {
	n := c.top.ticket
	if n == 0 {
		return false
	}
	c.top.ticket = 0
	tracking.Leave(n)
	return c.listenedJob() != nil
}

// notifyArrived notifies f, if any, that the submission has returned.
func notifyArrived(f probe.Follower) {
	if f != nil {
		f.Arrived()
	}
}

// Name implements [probe.Suspension].
func (c *chain) Name() string {
	h := outermostJob(c.top)
	switch {
	case h == nil:
		return "a machine"
	case h.Name() != "":
		return h.Name()
	default:
		return fmt.Sprintf("#%d", h.ID())
	}
}

// Where implements [probe.Suspension].
func (c *chain) Where() (function, file string, line int) {
	level := describe(c.top)
	return level.Function, level.File, level.Line
}

// Points implements [tracking.Machine].
func (c *chain) Points(buf []tracking.Point) (points []tracking.Point, more int) {
	for f := c.top; f != nil; f = f.caller {
		if len(buf) == cap(buf) {
			more++
			continue
		}
		buf = append(buf, tracking.Point{Frame: f.self, State: f.State})
	}
	return buf, more
}

// Handle implements [tracking.Machine].
func (c *chain) Handle() any {
	if h := outermostJob(c.top); h != nil {
		return h
	}
	return nil
}

// Home implements [tracking.Machine].
func (c *chain) Home() *schedulers.Home { return c.top.home }

// work returns the job of c, as the holder of a lock. Unlike the reports of c itself, it
// remains valid after the suspension.
func (c *chain) work() schedulers.Named {
	if h := outermostJob(c.top); h != nil {
		return h
	}
	return unknown{}
}

// unknown is a machine whose job cannot be found.
type unknown struct{}

// Name implements [schedulers.Named].
func (unknown) Name() string { return "a machine" }

// Holder returns the record that a lock keeps when the machine takes it, so that a
// report can name the holder. It is for locks whose waiters are followed
// ([probe.Holders]), and does not block.
func (r *Run) Holder() *probe.Holder {
	if r.holder == nil {
		r.holder = new(probe.Holder)
	}
	return r.holder
}

var (
	_ probe.Suspension = (*chain)(nil)
	_ tracking.Machine = (*chain)(nil)
)
