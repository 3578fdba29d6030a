package job

import (
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/sample"
	"github.com/movenext/movenext/internal/tracking"
)

// # Lives that are told
//
// Package inspect can tell listeners about the life of each job. Whether a job's life is
// told is decided once, before the job is shared: if so, the job has a record. A job
// whose life is not told needs no further test, since each of its steps looks for that
// record anyway.

// Bits of [Diagnostics] that no program sets: a listener exists, jobs are tracked.
const (
	lifeTold = Diagnostics(probe.Lives)
	tracked  = Diagnostics(probe.Tables)
	ourBits  = lifeTold | tracked
)

// tellMade starts telling the life of the job h, if a listener wants that, and reports
// whether one does. m is the job's machine, if it has one already. The job is not shared yet.
func (c *core) tellMade(h Handle, m tracking.Machine) bool {
	l := tracking.CurrentListener()
	if l == nil || !sample.OneIn(l.Among, h) || !l.Wants(h) {
		return false
	}
	c.ensureExtra().ensureDiagnostics().subject = h
	l.Tell(tracking.Life{Moment: tracking.Made, Job: h, Machine: m})
	return true
}

func (e *extra) tellStart() { e.tell(tracking.Started, Running) }

// leaveTracking tells the listeners that the job has its outcome, and removes the job from the
// table. Both happen before any code can see that the job has ended.
func (e *extra) leaveTracking(final Status) {
	if e.diagnostics == nil {
		return
	}
	if n := e.diagnostics.ticket; n != 0 {
		tracking.LeaveJob(n)
	}
	e.tell(tracking.Ended, final)
}

func (e *extra) tell(m tracking.Moment, s Status) {
	if e.diagnostics != nil && e.diagnostics.subject != nil {
		tracking.Tell(tracking.Life{Moment: m, Job: e.diagnostics.subject, Status: uint8(s)})
	}
}

// TellMade implements jobcore.Telling.
func (i *internals) TellMade(h any, m tracking.Machine) {
	if h, ok := h.(Handle); ok && i.core().tellMade(h, m) {
		interleave.LoadPointer(&i.extra).tellStart() // a machine runs where it is made
	}
}

// IsTold implements jobcore.Telling.
func (i *internals) IsTold() bool {
	r := interleave.LoadPointer(&i.extra)
	return r != nil && r.diagnostics != nil && r.diagnostics.subject != nil
}

// About implements jobcore.Telling.
func (i *internals) About() (a jobcore.About) {
	if r := interleave.LoadPointer(&i.extra); r != nil && r.diagnostics != nil {
		a.CreationPC = r.diagnostics.creationPC
	}
	a.Status = uint8(i.core().status())
	if c := i.core(); c.own != nil {
		a.Home, a.Suspended, a.Context = c.scheduler(), c.state.isSuspended(), c.own
		if parent := c.enclosingJob(); parent != nil {
			a.Parent = (*internals)(parent)
		}
	}
	return a
}

// Label implements jobcore.Telling.
func (i *internals) Label() string { return i.core().shortLabel() }
