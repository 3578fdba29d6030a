package workstealing

import (
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/schedulers"
)

// This file reports events in the vocabulary that all schedulers share: see
// [schedulers.Observe]. The option [Trace] reports the decisions behind them.

// reported is a flag in the hints that reportSubmit passes to Submit; it marks a submission that
// has been reported. A separate method without events would cost each submission a call
// while nothing listens.
const reported schedulers.Flags = 1 << 7

// reportSubmit is Submit with its events.
func (s *Scheduler) reportSubmit(w schedulers.Work, hint schedulers.Hint) error {
	hint.Flags |= reported
	if !dispatch.Hears(w) {
		return s.Submit(w, hint)
	}
	e := schedulers.Event{Kind: schedulers.Submitted, Scheduler: s, Work: w}
	if from := s.ownWorker(hint.From); from != nil {
		e.Worker, e.Processor = from.id, from.Processor()
		if hint.Flags&(schedulers.PreferFairness|schedulers.LongRunning) == 0 {
			e.Queue = e.Processor
		}
	}
	schedulers.Tell(e)
	err := s.Submit(w, hint)
	if err != nil {
		e.Kind, e.Queue = schedulers.Refused, 0
		schedulers.Tell(e)
	}
	return err
}

// Processor returns the ID of the worker's processor, or 0 if it has none.
func (w *worker) Processor() int {
	if p := interleave.LoadPointer(&w.proc); p != nil {
		return p.id
	}
	return 0
}

func (w *worker) tell(k schedulers.EventKind) {
	if probe.On(probe.Events) {
		schedulers.Tell(dispatch.EventOf(k, w))
	}
}

func (w *worker) tellStolen(work schedulers.Work, victim *processor, n int) {
	if probe.On(probe.Events) {
		e := dispatch.EventOf(schedulers.Stolen, w)
		e.Work, e.Queue, e.Count = work, victim.id, n
		schedulers.Tell(e)
	}
}

func (p *processor) tellSpilled(s *Scheduler, n int) {
	if probe.On(probe.Events) {
		schedulers.Tell(schedulers.Event{Kind: schedulers.Moved, Scheduler: s, Processor: p.id, Queue: p.id, Count: n})
	}
}

// tellRetaken reports that w is assumed to block, and that another worker gets its
// processor.
func (w *worker) tellRetaken(p *processor) {
	if probe.On(probe.Events) {
		e := dispatch.EventOf(schedulers.Injected, w)
		e.Processor, e.Count = p.id, 1
		schedulers.Tell(e)
	}
}
