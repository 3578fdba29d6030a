package dispatch

import (
	"time"

	"github.com/movenext/movenext/schedulers"
)

// Hears reports whether any listener may want events about the work item w. If not,
// callers need not prepare any. It is false for most work while all listeners select a
// sample ([schedulers.OneIn]). It does not block.
func Hears(w schedulers.Work) bool { return given.Hears(w) }

// EventOf returns an event of kind k about the worker w, for [schedulers.Tell]. A nil worker
// means no particular one.
func EventOf(k schedulers.EventKind, w schedulers.Worker) schedulers.Event {
	return given.EventOf(k, w)
}

// RunTold is w.Run(on), with the events [schedulers.Begun] and [schedulers.Ended] of the
// scheduler home if anything listens. A panic or a runtime.Goexit of the work passes through. It
// blocks as long as the work does. A nil home has no events; on may be nil. If w only wraps the
// work that was submitted to home, its method About() Work returns that work.
func RunTold(home schedulers.Scheduler, w schedulers.Work, on schedulers.Worker) {
	about := w
	if a, ok := w.(interface{ About() schedulers.Work }); ok {
		about = a.About()
	}
	if home == nil || !Hears(about) {
		w.Run(on)
		return
	}
	e := EventOf(schedulers.Begun, on)
	e.Scheduler, e.Work = home, about
	schedulers.Tell(e)
	defer func(since time.Time) {
		e.Kind, e.Took = schedulers.Ended, time.Since(since)
		schedulers.Tell(e)
	}(time.Now())
	w.Run(on)
}

// TellWait reports that the worker w waits in the middle of its work, for schedulers
// that learn of a wait in another way than by [schedulers.Wait]. end reports that the wait is
// over, and must be called once. For a nil worker nothing is reported.
func TellWait(w schedulers.Worker) (end func()) {
	return given.TellPause(w, schedulers.Blocked, schedulers.Unblocked)
}

// TellPark is [TellWait] for a worker that sleeps because it has nothing to do.
func TellPark(w schedulers.Worker) (end func()) {
	return given.TellPause(w, schedulers.Parked, schedulers.Unparked)
}
