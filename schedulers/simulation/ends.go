package simulation

import (
	"runtime"
	"time"

	"github.com/movenext/movenext/internal/ctxwatch"
)

// # Ends of contexts
//
// Package context reports the end of a context on a new goroutine, which is not simulated. What
// waits for the end would continue at a point of the schedule that nobody has chosen, or after
// the clock has moved. So the simulation looks after each step which contexts have ended, and
// notifies their watches, jobs and machines that sleep, before the next choice.

// ContextEnds implements ctxwatch.Owner.
func (s *Scheduler) ContextEnds(ctxwatch.Key) *ctxwatch.Ends { return &s.ends }

// maxEnds is how many contexts are looked at after each step. If there are more, they are looked
// at when nothing can run: looking at all of them would make a step take time in proportion.
const maxEnds = 64

// deliverEnds notifies what waits for contexts that have ended; mu is held, but not meanwhile.
func (s *Scheduler) deliverEnds() {
	if n := s.ends.Len(); n == 0 || n > maxEnds && s.ready.len() > 0 && !s.settle {
		return
	}
	patient := !s.impatient
	s.mu.Unlock()
	delivered := s.ends.Deliver() || patient && s.othersDeliver()
	s.mu.Lock()
	s.impatient = !delivered
}

// othersDeliver waits until other goroutines, those of package context, have delivered the ends
// that they have begun to deliver, and reports whether they have. It does not wait forever: code
// of users may run there, in a method of a context, and wait for a step.
func (s *Scheduler) othersDeliver() bool {
	const most = looksAtWorld + int(mostPatience/time.Millisecond)
	for looks := range most {
		if looks < looksAtWorld {
			runtime.Gosched()
		} else {
			time.Sleep(time.Millisecond)
		}
		if s.ends.Deliver() {
			return true
		}
	}
	return false
}
