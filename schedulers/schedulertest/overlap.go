package schedulertest

import (
	"runtime"
	"sync"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// moment is how long a work waits for company. It is no bound that anything fails by: a scheduler of one worker costs
// the check this long, once.
const moment = 100 * time.Millisecond

// overlap returns a function in which works wait for one another in pairs, so that two are in it at the same time if the
// scheduler runs two at all. To yield instead leaves it to chance: a second worker whose thread is given no processor
// for a while is not given one by yielding, and the first has run all works by itself when it comes.
//
// When one has waited in vain, nobody waits any more.
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
