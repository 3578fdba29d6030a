package priority

import (
	"cmp"

	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
)

// Group is a scheduler for work of one level. A group for a single job allows its
// priority to be changed later; a group for a tenant allows that for all the tenant's
// work. A Group need not be closed. All methods are safe for concurrent use.
//
// Besides [schedulers.Scheduler] it implements Layered, Consenter, Timers and Limiter
// as its scheduler does, and its workers implement HomeBlocker and Pumper.
type Group struct {
	*clock
	scheduler *Scheduler

	queue shim.WorkQueue // the queued items, in order of arrival

	// Guarded by the scheduler's lock.
	level int
	head  position // of the first item in queue
	index int      // in the heap of groups with queued items; -1: not in it
}

// Group returns a new group of the given level. A level outside the range means the
// nearest one inside.
func (s *Scheduler) Group(level int) *Group {
	return &Group{clock: s.clock, scheduler: s, level: s.clamp(level)}
}

func (s *Scheduler) clamp(level int) int { return min(max(0, level), s.levels-1) }

// Submit queues w on the group's level, or refuses it: with [schedulers.ErrShutdown]
// after Shutdown, with [schedulers.ErrRejected] if w is nil, and with the error of the
// scheduler beneath if that refuses. It blocks only if Submit of that scheduler does.
// Of the hint, only the flags other than LongRunning are passed on.
func (g *Group) Submit(w schedulers.Work, from schedulers.Hint) error {
	if err := g.scheduler.tally.Enter("priority", g, w); err != nil {
		return err
	}
	return g.scheduler.tickets.Submit(g, w, from)
}

// Move changes the level of the group and the positions of its queued work, and
// returns the number of those work items. They keep their arrival numbers. A level
// outside the range means the nearest one inside. Move takes the same time however much
// is queued, and does not block.
func (g *Group) Move(level int) int {
	s := g.scheduler
	s.mu.Lock()
	defer s.mu.Unlock()
	g.level = s.clamp(level)
	n := g.queue.Len()
	if n > 0 {
		s.reposition(g)
	}
	return n
}

// Level returns the level of the group.
func (g *Group) Level() int {
	g.scheduler.mu.Lock()
	defer g.scheduler.mu.Unlock()
	return g.level
}

// MayRunInPlace reports whether the scheduler beneath consents.
func (g *Group) MayRunInPlace(w schedulers.Work, caller schedulers.Worker) bool {
	return g.scheduler.MayRunInPlace(w, caller)
}

// Beneath implements [schedulers.Layered].
func (g *Group) Beneath() schedulers.Scheduler { return g.scheduler.Beneath() }

// MaxConcurrency returns the limit of the scheduler beneath, or 0.
func (g *Group) MaxConcurrency() int { return g.scheduler.MaxConcurrency() }

// position decides which item goes first: the lower rank or, between equal ranks, the
// earlier arrival.
type position struct{ rank, arrival uint64 }

// position returns the position of the item of g with that arrival number, from 1 on. It changes
// with the group's level; mu is held.
//
// The rank grows with the arrival and with the level. 2³¹ levels times the highest age, a
// billion, leave 2⁶³ arrivals before it overflows.
func (s *Scheduler) position(g *Group, arrival uint64) position {
	return position{arrival + uint64(g.level)*s.age, arrival}
}

func (p position) compare(q position) int {
	return cmp.Or(cmp.Compare(p.rank, q.rank), cmp.Compare(p.arrival, q.arrival))
}

// Before implements [heap.Element]: groups are ordered by their first items.
func (g *Group) Before(other *Group) bool { return g.head.compare(other.head) < 0 }

// Moved implements [heap.Element].
func (g *Group) Moved(index int) { g.index = index }
