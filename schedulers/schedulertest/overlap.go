package schedulertest

import (
	"runtime"
	"sync"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// moment is how long a work item waits for another one. No check fails by this bound: a
// scheduler of one worker costs the check this long, once.
const moment = 100 * time.Millisecond

// overlap returns a function in which work items wait for one another in pairs,
// so that two are in it at the same time if the scheduler runs two at all.
// Yielding instead would leave it to chance: it gives no processor to a second
// worker whose thread has none for a while, and when that worker comes the first
// has run all work items by itself.
//
// When one wait has been in vain, later work items do not wait.
func (e *env) overlap(s Scheduler) (together func()) {
	meet, alone := make(chan struct{}), make(chan struct{})
	giveUp := sync.OnceFunc(func() { close(alone) })
	if l, ok := s.(schedulers.Limiter); e.inPlace || ok && l.MaxConcurrency() == 1 {
		giveUp()
	}
	return func() {
		late := time.NewTimer(min(moment, e.patience))
		defer late.Stop()
		select {
		case meet <- struct{}{}:
		case <-meet:
		case <-alone:
		case <-late.C:
			giveUp()
		}
		for range 20 {
			runtime.Gosched() // more than two meet by chance
		}
	}
}
