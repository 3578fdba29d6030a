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
func RunAwaited(h Handle, n *continuation.Node, on schedulers.Worker) bool {
	c := baseOf(h)
	if c == nil || c.own == nil || c.state.status() != Scheduled {
		return false
	}
	r, ok := c.scheduler().(schedulers.Reclaimer)
	if !ok || !r.Reclaim(c.own.owner, on) || !c.state.claim() {
		return false
	}
	n.Attend()
	c.waiting.Add(n) // the list is open: only who has claimed the job completes it
	c.own.owner.runClaimed(on)
	return true
}
