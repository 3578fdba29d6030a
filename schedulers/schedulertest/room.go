package schedulertest

import (
	"sync/atomic"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

// roomChecks require that work items need no lock for the object that they keep
// with a worker.
func roomChecks() []check {
	return []check{
		{"a worker's room is its own", func(has capabilities, _ config) bool { return has.keeper }, roomsOfTheirOwn},
	}
}

// tenant is the object that the work items of the check keep in a room. kept is a plain
// variable, so that the race detector finds overlaps; inside finds them without it.
type tenant struct {
	kept   int
	inside atomic.Bool
}

// roomsOfTheirOwn makes work items yield and check whether another work item
// enters their worker's room meanwhile.
func roomsOfTheirOwn(e *env) {
	l := e.ledger(e.new())
	together := e.overlap(l.sched)
	for range e.times(500) {
		l.submit(func(on schedulers.Worker) {
			k, ok := on.(dispatch.Keeper)
			if !ok {
				return // a worker need not have room
			}
			room := k.Room()
			if room == nil {
				return
			}
			kept, ok := (*room).(*tenant)
			if !ok {
				kept = new(tenant)
				*room = kept
			}
			if !kept.inside.CompareAndSwap(false, true) {
				l.Errorf("two works that ran at the same time were in the same worker's room")
				return
			}
			defer kept.inside.Store(false)
			kept.kept++
			together()
			if k.Room() != room {
				l.Errorf("a worker's room is not where it was when the same work asked before")
			}
		}, schedulers.Hint{})
	}
	l.finish()
	l.checkNoneAbandoned()
}
