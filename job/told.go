package job

import (
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/tracking"
)

// # Lives that are told
//
// Package inspect can tell what becomes of each job. Whether it wants to is asked once,
// before the job is handed out, and the answer is the record that the job has, or has
// not. So for a job that is not told of there is no further test: each of its steps
// looks for that record anyway.

// Bits of [Diagnostics] that no program sets: something listens, jobs are tracked.
const (
	lifeTold = Diagnostics(tracking.ToldBit)
	tracked  = Diagnostics(tracking.TrackedBit)
	ourBits  = Diagnostics(tracking.OurBits)
)

// tellMade has the life of the job h be told, if something wants that, and reports
// whether it does. m is its machine, if it has one already. The job was not handed out
// yet.
func (c *core) tellMade(h Handle, m tracking.Machine) bool {
	w := tracking.Listening()
	if w == nil || !w.Wants(h) {
		return false
	}
	c.extras().record().told = h
	w.Tell(tracking.Life{Moment: tracking.Made, Job: h, Of: m})
	return true
}

func (r *rare) tellStart() { r.tell(tracking.Started, Running) }

// ended tells that the job has its outcome, and takes it out of the table. Whatever sees
// that the job has ended comes after that.
func (r *rare) ended(final Status) {
	if r.recorded == nil {
		return
	}
	if n := r.recorded.ticket; n != 0 {
		tracking.LeaveJob(n)
	}
	r.tell(tracking.Ended, final)
}

func (r *rare) tell(m tracking.Moment, s Status) {
	if r.recorded != nil && r.recorded.told != nil {
		tracking.Tell(tracking.Life{Moment: m, Job: r.recorded.told, Status: uint8(s)})
	}
}

// TellMade implements jobcore.Telling.
func (i *insides) TellMade(h any, m tracking.Machine) {
	if h, ok := h.(Handle); ok && i.core().tellMade(h, m) {
		i.rare.Load().tellStart() // a machine is made where it runs
	}
}

// Told implements jobcore.Telling.
func (i *insides) Told() bool {
	r := i.rare.Load()
	return r != nil && r.recorded != nil && r.recorded.told != nil
}

// endTask ends the task of the execution tracer, if there is one.
func (r *recorded) endTask() {
	if r.task != nil {
		r.task.End()
	}
}

// About implements jobcore.Telling.
func (i *insides) About() (a jobcore.About) {
	if r := i.rare.Load(); r != nil && r.recorded != nil {
		a.Made = r.recorded.made
	}
	a.Status = uint8(i.core().status())
	if c := i.core(); c.own != nil {
		a.Home, a.Suspended, a.Context = c.scheduler(), c.state.isSuspended(), c.own
		if around := c.around(); around != nil {
			a.Parent = (*insides)(around)
		}
	}
	return a
}

// Label implements jobcore.Telling.
func (i *insides) Label() string { return i.core().shortLabel() }
