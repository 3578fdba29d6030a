package workstealing

import (
	"context"
	"fmt"
	"runtime/trace"

	"github.com/movenext/movenext/internal/interleave"
)

// Decision is a decision of a scheduler.
type Decision uint8

// The decisions, in the order of the package comment.
const (
	Started         Decision = iota + 1 // a worker was started with an idle processor
	TookGlobalFirst                     // work of the global queue, at the 61st search
	TookNext                            // the newest work, from the slot
	TookLocal                           // the oldest work of the processor's own queue
	Spinning                            // the worker's own queue is empty, and it may steal
	SpinRefused                         // it may not: half as many as run already steal
	Stole                               // half of a victim's queue
	TookGlobal                          // work of the global queue; all others were empty
	StoppedSpinning                     // the worker has found work, or nothing anywhere
	LookedAgain                         // work arrived after the processor was given back
	Spilled                             // the queue was full: half moved to the global queue
	HandedOn                            // the worker has announced that it blocks
	Retaken                             // the worker has not returned, and work is queued
	Ended                               // the worker has no work or no processor
)

var decisions = [...]string{
	Started:         "starts",
	TookGlobalFirst: "takes from the global queue, which goes first every 61st time",
	TookNext:        "takes the newest",
	TookLocal:       "takes from its queue",
	Spinning:        "may steal",
	SpinRefused:     "may not steal: enough do",
	Stole:           "steals",
	TookGlobal:      "takes from the global queue",
	StoppedSpinning: "stops stealing",
	LookedAgain:     "looks again: work has arrived",
	Spilled:         "is full and moves works to the global queue:",
	HandedOn:        "hands its processor on",
	Retaken:         "does not return and loses its processor",
	Ended:           "ends",
}

// String returns the decision in words.
func (d Decision) String() string {
	if int(d) < len(decisions) && d > 0 {
		return decisions[d]
	}
	return fmt.Sprintf("Decision(%d)", uint8(d))
}

// Event is one decision of a scheduler, as the option [Trace] reports it. While the
// execution tracer of package runtime/trace is on, each event is written there as well,
// as a log message whose category is the scheduler's name: `go tool trace` shows it on
// the goroutine that was running.
//
// The function of Trace is called in the middle of a decision, on the goroutine that
// makes it, sometimes under the scheduler's lock. So it must be safe for concurrent
// use, must not block, and must not call the scheduler. Events of one processor arrive in
// order.
type Event struct {
	Decision  Decision
	Worker    int // ID of the deciding worker; 0: a submitter
	Processor int // from 1 on; 0: none
	Victim    int // of Stole: the processor that was stolen from
	Works     int // the number taken or moved
}

// String returns the event as a line of a log.
func (e Event) String() string {
	who := fmt.Sprintf("worker %d", e.Worker)
	switch {
	case e.Worker == 0:
		who = fmt.Sprintf("processor %d", e.Processor)
	case e.Processor != 0:
		who = fmt.Sprintf("worker %d, processor %d:", e.Worker, e.Processor)
	}
	switch e.Decision {
	case Stole:
		return fmt.Sprintf("%s steals %d from processor %d", who, e.Works, e.Victim)
	case Spilled:
		return fmt.Sprintf("%s %s %d", who, e.Decision, e.Works)
	default:
		return who + " " + e.Decision.String()
	}
}

// tracing reports whether a trace is on. Its two loads are the only cost for a scheduler
// without a trace.
func (s *Scheduler) tracing() bool { return s.observe.IsSet() || trace.IsEnabled() }

func (s *Scheduler) report(e Event) {
	s.observe.Call(e)
	if trace.IsEnabled() {
		trace.Log(context.Background(), s.name, e.String())
	}
}

// event returns an event for a decision of w, with its processor.
func (w *worker) event(d Decision, works int) Event {
	return Event{Decision: d, Worker: w.id, Processor: interleave.LoadPointer(&w.proc).id, Works: works}
}

func spinDecision(may bool) Decision {
	if may {
		return Spinning
	}
	return SpinRefused
}

func localDecision(fromNext bool) Decision {
	if fromNext {
		return TookNext
	}
	return TookLocal
}
