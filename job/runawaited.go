package job

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// Awaited is a job that was claimed for the machine that awaits it, which runs it on
// its own goroutine. It is for machines that would otherwise have to leave their worker
// to that job:
//
//	a, ok := TakeAwaited(h, on)      false: n is registered with h as usual
//	a.Run(n, on, spent)
//	a.Leave(n)                       also if Run does not return because h calls runtime.Goexit
type Awaited struct{ job *core }

// Unproven is added to what is spent where a worker is known by hint only: from the
// context of a waiter that runs a job in place, which may have got that context from
// another goroutine.
const Unproven uint8 = 1 << 7

// TakeAwaited claims h and returns true, if it is queued at a scheduler that gives it
// back to the worker on, or if it is not started and its scheduler lets that worker
// begin with it; see [schedulers.Reclaimer] and [schedulers.Admitter]. It does not
// block. A caller that gets true calls Run.
func TakeAwaited(h Handle, on schedulers.Worker) (Awaited, bool) {
	c := baseOf(h)
	if c == nil || c.own == nil || !c.takeFor(on) {
		return Awaited{}, false
	}
	return Awaited{c}, true
}

// Run runs the job to its end or its first suspension. n is the machine's registration,
// prepared by [continuation.Node.PrepareAttended]. It is added before the run, so that
// asynchronous stacks and searches for cycles show the waiter.
//
// spent is how much of such machines' budget for one turn is used, up to 127, plus
// [Unproven] if the caller is not known to be the worker on. A [Machine] is told, since
// it may run the jobs that it awaits in turn: a chain of a million such jobs must not
// become a stack of a million calls.
func (a Awaited) Run(n *continuation.Node, on schedulers.Worker, spent uint8) {
	b := a.job.own
	b.spent = spent
	a.job.waiting.Add(n) // the list is open: only the claimer completes the job
	b.owner.runClaimed(on)
}

// Leave ends the machine's attendance after Run. It returns true if n's target will be
// told of the end, like that of any registration, and false if the job has ended and n
// is the caller's.
func (a Awaited) Leave(n *continuation.Node) (told bool) {
	if a.job.own.attended {
		a.job.waiting.Settle()
		return false
	}
	return n.Leave()
}

// takeFor claims the job for the worker on, where that may run it.
func (c *core) takeFor(on schedulers.Worker) bool {
	switch c.status() {
	case Scheduled:
		r, ok := c.scheduler().(schedulers.Reclaimer)
		return ok && r.Reclaim(c.own.owner, on) && c.state.claim()
	case Created:
		// A job with wishes goes the way of all, which knows them.
		a, ok := c.scheduler().(schedulers.Admitter)
		return ok && c.flags == 0 && a.Admit(on) && c.state.begin()
	}
	return false
}

// StartLast starts h if it is Created, like [Job.Start], as the last thing that the
// current work of the worker on does. It is for a machine that awaits h and may not run
// it.
func StartLast(h Handle, on schedulers.Worker) {
	c := baseOf(h)
	if c == nil || c.own == nil || c.status() != Created || !c.state.start() {
		return
	}
	// The job has the error.
	_ = c.submitFrom(c.scheduler(), schedulers.Hint{From: on, Flags: c.flags})
}
