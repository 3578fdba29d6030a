package priority

import (
	"github.com/movenext/movenext/internal/linked"
	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
)

// Group is a scheduler for work of one level. Use a group for one job to change that
// job's priority later; a group for a tenant changes that of all the tenant's work. It
// needs no closing. All methods are safe for concurrent use.
//
// Besides [schedulers.Scheduler] it implements Layered, Consenter, Timers and Limiter
// as its scheduler does, and its workers implement HomeBlocker and Pumper.
type Group struct {
	*clock
	of *Scheduler

	// Guarded by of.mu.
	level int
	queue linked.List[place] // the queued items, in order of arrival
}

// Group returns a new group of that level. A level outside the range means the nearest
// one inside.
func (s *Scheduler) Group(level int) *Group {
	return &Group{clock: s.clock, of: s, level: s.clamp(level)}
}

func (s *Scheduler) clamp(level int) int { return min(max(0, level), s.levels-1) }

// Submit queues w on the group's level, or refuses it: with [schedulers.ErrShutdown]
// after Shutdown, with [schedulers.ErrRejected] if w is nil, and with the error of the
// scheduler beneath if that refuses. It blocks only if Submit of that scheduler does.
// Of the hint, only the flags other than LongRunning are passed on.
func (g *Group) Submit(w schedulers.Work, from schedulers.Hint) error {
	if err := g.of.tally.Enter("priority", g, w); err != nil {
		return err
	}
	_, err := g.of.tickets.Submit(&g.of.tally, g, w, from, place{group: g})
	return err
}

// Move changes the level of the group and the positions of its queued work, and
// returns the number of those work items. They keep their age. A level outside
// the range means the nearest one inside. It does not block.
func (g *Group) Move(level int) int {
	s := g.of
	s.mu.Lock()
	defer s.mu.Unlock()
	g.level = s.clamp(level)
	n := 0
	for at := range g.queue.All() {
		at.rank = s.rank(at)
		s.queue.Fix(at.index)
		n++
	}
	return n
}

// Level returns the level of the group.
func (g *Group) Level() int {
	g.of.mu.Lock()
	defer g.of.mu.Unlock()
	return g.level
}

// MayRunInPlace reports whether the scheduler beneath consents.
func (g *Group) MayRunInPlace(w schedulers.Work, by schedulers.Worker) bool {
	return g.of.MayRunInPlace(w, by)
}

// Beneath implements [schedulers.Layered].
func (g *Group) Beneath() schedulers.Scheduler { return g.of.Beneath() }

// MaxConcurrency returns the limit of the scheduler beneath, or 0.
func (g *Group) MaxConcurrency() int { return g.of.MaxConcurrency() }

// item is one work item, and its ticket.
type item = shim.Ticket[place]

// place is the position of an item. All but group is guarded by the scheduler's mu.
type place struct {
	group   *Group
	of      *item  // nil: it was never put into the queue
	arrival uint64 // from 1 on
	rank    uint64
	index   int // in the queue; -1: it was taken out
	links   linked.Node[place]
}

// Before implements [heap.Element].
func (p *place) Before(q *place) bool {
	if p.rank != q.rank {
		return p.rank < q.rank
	}
	return p.arrival < q.arrival
}

// Moved implements [heap.Element].
func (p *place) Moved(at int) { p.index = at }
