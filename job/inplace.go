package job

import (
	"context"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/suspension"
)

// RunFor implements jobcore.Awaiting.
//
// Only a job that the host has started itself is run: a mark then records who waits for it
// (see [core.runner]), and no registration is needed. Jobs whose labels, trace or reports
// would have to be switched are left to the machine that the host becomes when it suspends.
func (i *internals) RunFor(host context.Context, runs int32) jobcore.Ran {
	c := i.core()
	b, ok := host.(*body)
	if !ok || c.own == nil || b.hidden || dispatch.FollowerOf(b.home) != nil {
		return jobcore.NotRun
	}
	if parent, ok := c.own.parent.(*body); !ok || parent != b {
		return jobcore.NotRun
	}
	runs += int32(b.spent &^ jobcore.Unproven)
	if runs >= jobcore.MaxRuns || (c.mode|b.owner.base().mode)&(labeled|traced) != 0 {
		return jobcore.NotRun
	}
	if from, ok := c.takeBack(b.worker); !ok || !c.state.claimInPlace(from) {
		return jobcore.NotRun
	}
	c.own.spent = uint8(runs+1) | b.spent&jobcore.Unproven
	c.runClaimed(b.worker)
	if c.leavePlace() {
		return jobcore.RanUntilSuspended
	}
	return jobcore.RanToEnd
}

// LeavePlace implements jobcore.Awaiting.
func (i *internals) LeavePlace() { i.core().leavePlace() }

// exit is for a job whose function was left by v, the value of a panic, or by
// runtime.Goexit. If it awaited a job that its goroutine ran in place, and that job has
// called runtime.Goexit, the function has suspended: v then continues it elsewhere.
func (c *core) exit(v any, q *queue) {
	if rest, suspended := v.(suspension.Suspended); suspended {
		c.continueSuspended(rest)
	} else {
		c.crash(v, q)
	}
}
