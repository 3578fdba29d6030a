package schedulertest

import (
	"runtime"
	"sync"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// moment is how long a work item waits for another one. No check fails because of this
// bound; with a scheduler of one worker, the check takes that much longer, once.
const moment = 100 * time.Millisecond

// overlap returns a function in which work items wait for one another in pairs,
// so that two are in it at the same time if the scheduler runs two at all. With yielding
// instead, that would be left to chance: the thread of a second worker may get no
// processor for a while, and by then the first worker has run all work items by itself.
//
// When one wait has timed out, later work items do not wait.
func (e *env) overlap(s Scheduler) (together func()) {
	meet, alone := make(chan struct{}), make(chan struct{})
	giveUp := sync.OnceFunc(func() { close(alone) })
	if l, ok := s.(schedulers.Limiter); e.inPlace || ok && l.MaxConcurrency() == 1 {
		giveUp()
	}
	return func() {
		late := time.NewTimer(min(moment, e.timeout))
		defer late.Stop()
		select {
		case meet <- struct{}{}:
		case <-meet:
		case <-alone:
		case <-late.C:
			giveUp()
		}
		for range 20 {
			runtime.Gosched() // a third work item may join by chance
		}
	}
}
