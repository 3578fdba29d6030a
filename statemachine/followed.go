package statemachine

import (
	"fmt"

	"github.com/movenext/movenext/schedulers"
)

// # Chains that are followed
//
// The home of a chain may want to know that it is suspended: see [schedulers.Follower].
// It is told before the chain is registered, since after that the chain may be
// anywhere; and before and after the chain is submitted again.
//
// A sleep is not told of. Its timer is armed, so it will end. Neither is a chain that
// gives way, until it has had its turn.

// registerFollowed is register for a chain whose home follows it.
func (t *Task) registerFollowed(c *chain, f schedulers.Follower) bool {
	if t.holder != nil {
		t.holder.Is(c)
	}
	switch t.awaiting.(type) {
	case nil, *sleeping, *guardedSleeping:
		return t.handOver(c)
	}
	if t.ready >= budget {
		return t.giveWay(c)
	}
	f.Suspended(c, t.awaiting)
	if !t.handOver(c) {
		f.Resumed(c)
		f.Arrived() // it runs already
		return false
	}
	return true
}

// unfollow tells the home of c, if it follows c, that c continues. It returns that
// home, to be told when c has been submitted; c itself must not be asked then.
func (c *chain) unfollow() schedulers.Follower {
	f := c.top.home.Follower
	if f != nil {
		f.Resumed(c)
	}
	return f
}

// arrived tells f, if any, that the submission has returned.
func arrived(f schedulers.Follower) {
	if f != nil {
		f.Arrived()
	}
}

// Name implements [schedulers.Suspension].
func (c *chain) Name() string {
	h := c.top.outermost()
	switch {
	case h == nil:
		return "a machine"
	case h.Name() != "":
		return h.Name()
	default:
		return fmt.Sprintf("#%d", h.ID())
	}
}

// Where implements [schedulers.Suspension].
func (c *chain) Where() schedulers.Place {
	level := c.top.describe()
	return schedulers.Place{Function: level.Function, File: level.File, Line: level.Line}
}

// Holder returns what a lock notes when the machine takes it, so that a report can name
// the holder. It is for locks whose waiters are followed ([schedulers.Followed]), and
// does not block.
func (t *Task) Holder() *schedulers.Holder {
	if t.holder == nil {
		t.holder = new(schedulers.Holder)
	}
	return t.holder
}

var _ schedulers.Suspension = (*chain)(nil)
