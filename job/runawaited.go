package job

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// RunAwaited runs h on the calling goroutine and returns true, if it is queued at a scheduler that gives it back to
// the worker on; see [schedulers.Reclaimer]. It is for machines that await h and would have to leave that worker to it. n is
// the machine's registration, prepared and not yet added: it is added before h runs, attended, so that
// asynchronous stacks show who waits. Afterwards the caller calls n.Leave, also if RunAwaited does not return
// because h calls runtime.Goexit. If it returns false, n is as before.
//
// spent is how much of what such machines may run in one turn is spent, up to 255. If h is a [Machine], it is told, since it
// may run the jobs that it awaits in turn: a chain of a million such jobs must not become a stack of a million calls.
func RunAwaited(h Handle, n *continuation.Node, on schedulers.Worker, spent uint8) bool {
	c := baseOf(h)
	if c == nil || c.own == nil || c.state.status() != Scheduled {
		return false
	}
	r, ok := c.scheduler().(schedulers.Reclaimer)
	if !ok || !r.Reclaim(c.own.owner, on) || !c.state.claim() {
		return false
	}
	c.own.spent = spent
	n.Attend()
	c.waiting.Add(n) // the list is open: only who has claimed the job completes it
	c.own.owner.runClaimed(on)
	return true
}
