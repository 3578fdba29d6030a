package workset

import (
	"maps"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
)

// ticket implements an item: it is submitted to the scheduler beneath, and it is the
// worker that the work sees.
type ticket struct {
	shim.Handle
	set *Set

	mu    interleave.Mutex
	races map[*race]int // waits for the first of several items, with this item's index
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
	return t.Worker.Beneath()
}

// HandleEnd is called when the work has ended.
func (t *ticket) HandleEnd() {
	t.Handle.HandleEnd()
	t.finish()
}

// HandleGiveUp is called when the work was abandoned.
func (t *ticket) HandleGiveUp(reason error) {
	t.Handle.HandleGiveUp(reason)
	t.finish()
}

func (t *ticket) finish() {
	t.mu.Lock()
	races := maps.Clone(t.races)
	t.mu.Unlock()
	for r, i := range races {
		r.finish(i)
	}
	t.set.add(-1)
}

// enter adds the item to a race. It returns false if the item has already ended; then the
// race is decided, too.
//
// enter adds the item first and then checks whether it has ended; HandleEnd records the end
// first and then checks for races. So at least one of the two sees the other.
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
