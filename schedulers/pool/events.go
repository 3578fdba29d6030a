package pool

import (
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/schedulers"
)

// This file reports the pool's events: see [schedulers.Observe]. The worker's loop reports
// those of a run, and submit.go those of a submission. The callers hold mu, except for
// reportInlined.

// reportInlined reports that the caller runs w itself. A nil w was not submitted before.
func reportInlined(w schedulers.Work, caller *worker) {
	if !probe.On(probe.Events) {
		return
	}
	e := dispatch.EventOf(schedulers.Submitted, caller)
	if w == nil {
		schedulers.Tell(e)
	}
	e.Kind, e.Work = schedulers.Inlined, w
	schedulers.Tell(e)
}

func (w *worker) tell(k schedulers.EventKind) {
	if probe.On(probe.Events) {
		schedulers.Tell(dispatch.EventOf(k, w))
	}
}

func (w *worker) tellStolen(work schedulers.Work, victim *worker) {
	if probe.On(probe.Events) {
		e := dispatch.EventOf(schedulers.Stolen, w)
		e.Work, e.Queue, e.Count = work, victim.id, 1
		schedulers.Tell(e)
	}
}

// tellMoved reports that n work items have moved from the worker's queue to the global
// one.
func (w *worker) tellMoved(n int) {
	if n > 0 && probe.On(probe.Events) {
		e := dispatch.EventOf(schedulers.Moved, w)
		e.Queue, e.Count = w.id, n
		schedulers.Tell(e)
	}
}

// tellInjected reports that n more workers may run.
func (p *Pool) tellInjected(n int) {
	if n > 0 && probe.On(probe.Events) {
		schedulers.Tell(schedulers.Event{Kind: schedulers.Injected, Scheduler: p, Count: n})
	}
}
