package workset

import (
	"maps"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
)

// ticket is the inside of an item: it is submitted beneath, and it is the worker that
// the work sees.
type ticket struct {
	shim.Handle
	of *Set

	mu    interleave.Mutex
	races map[*race]int // waits for the first of several items; our index there
}

// Run implements [schedulers.Work].
func (t *ticket) Run(on schedulers.Worker) { t.RunOn(on, t, t) }

// Abandon implements [schedulers.Work].
func (t *ticket) Abandon(reason error) { t.GiveUp(reason) }

// Beneath returns the worker of the scheduler beneath.
func (t *ticket) Beneath() schedulers.Worker {
	if t == nil {
		return nil
	}
	return t.Visit.Beneath()
}

// Ended is called when the work has ended.
func (t *ticket) Ended() {
	t.Handle.Ended()
	t.finish()
}

// GivenUp is called when the work was abandoned.
func (t *ticket) GivenUp(reason error) {
	t.Handle.GivenUp(reason)
	t.finish()
}

func (t *ticket) finish() {
	t.mu.Lock()
	races := maps.Clone(t.races)
	t.mu.Unlock()
	for r, i := range races {
		r.finish(i)
	}
	t.of.add(-1)
}

// enter adds the item to a race. It returns false if the item has ended, and the race
// with it.
//
// It enters first and then checks whether the item is gone; the end is recorded first
// and then checks for entered races. One of the two sees the other.
func (t *ticket) enter(r *race, i int) bool {
	t.mu.Lock()
	if t.races == nil {
		t.races = map[*race]int{}
	}
	if _, twice := t.races[r]; !twice {
		t.races[r] = i
	}
	t.mu.Unlock()
	gone, _ := t.Gone()
	if gone {
		r.finish(i)
	}
	return !gone
}

func (t *ticket) leave(r *race) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.races, r)
}
