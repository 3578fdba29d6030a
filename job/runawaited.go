package job

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// RunAwaited runs h on the calling goroutine and returns true, if it is queued at a scheduler that gives it back to
// the worker on, or if it is not started and its scheduler lets that worker begin with it; see
// [schedulers.Reclaimer] and [schedulers.Admitter]. It is for machines that await h and would have to leave that worker to it. n is
// the machine's registration, prepared and not yet added: it is added before h runs, attended, so that
// asynchronous stacks show who waits. Afterwards the caller calls n.Leave, also if RunAwaited does not return
// because h calls runtime.Goexit. If it returns false, n is as before.
//
// spent is how much of what such machines may run in one turn is spent, up to 255. If h is a [Machine], it is told, since it
// may run the jobs that it awaits in turn: a chain of a million such jobs must not become a stack of a million calls.
func RunAwaited(h Handle, n *continuation.Node, on schedulers.Worker, spent uint8) bool {
	c := baseOf(h)
	if c == nil || c.own == nil || !c.takeFor(on) {
		return false
	}
	c.own.spent = spent
	n.Attend()
	c.waiting.Add(n) // the list is open: only who has claimed the job completes it
	c.own.owner.runClaimed(on)
	return true
}

// takeFor claims the job for the worker on, where that may run it.
func (c *core) takeFor(on schedulers.Worker) bool {
	switch c.state.status() {
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

// StartLast starts h if it is Created, like [Job.Start], as the last thing that the current work of the worker on does:
// what a machine awaits that may not run it.
func StartLast(h Handle, on schedulers.Worker) {
	c := baseOf(h)
	if c == nil || c.own == nil || c.state.status() != Created || !c.state.start() {
		return
	}
	_ = c.submitFrom(c.scheduler(), schedulers.Hint{From: on, Flags: c.flags}) // the job carries the refusal
}
