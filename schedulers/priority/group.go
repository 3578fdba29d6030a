package priority

import (
	"container/heap"

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
	first *item // the queued items, doubly linked, in no order
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
	for it := g.first; it != nil; it = it.Item.next {
		it.Item.rank = s.rank(&it.Item)
		heap.Fix(&s.line, it.Item.index)
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
	group      *Group
	put        bool
	arrival    uint64 // from 1 on
	rank       uint64
	index      int // in the line
	prev, next *item
}

func (p *place) before(q *place) bool {
	if p.rank != q.rank {
		return p.rank < q.rank
	}
	return p.arrival < q.arrival
}

func (g *Group) link(it *item) {
	it.Item.next = g.first
	if g.first != nil {
		g.first.Item.prev = it
	}
	g.first = it
}

func (g *Group) unlink(it *item) {
	at := &it.Item
	if at.prev != nil {
		at.prev.Item.next = at.next
	} else {
		g.first = at.next
	}
	if at.next != nil {
		at.next.Item.prev = at.prev
	}
	at.prev, at.next = nil, nil
}

// line is a heap of items by their positions. Invariant: line[i].Item.index == i.
type line []*item

// Len implements [heap.Interface].
func (l line) Len() int { return len(l) }

// Less implements [heap.Interface].
func (l line) Less(i, j int) bool { return l[i].Item.before(&l[j].Item) }

// Swap implements [heap.Interface].
func (l line) Swap(i, j int) {
	l[i], l[j] = l[j], l[i]
	l[i].Item.index, l[j].Item.index = i, j
}

// Push implements [heap.Interface].
func (l *line) Push(x any) {
	it := x.(*item)
	it.Item.index = len(*l)
	*l = append(*l, it)
}

// smallestLine is the capacity that a line keeps.
const smallestLine = 1024

// Pop implements [heap.Interface]. A line that was long releases its memory.
func (l *line) Pop() any {
	last := len(*l) - 1
	it := (*l)[last]
	(*l)[last] = nil
	*l = (*l)[:last]
	if cap(*l) > smallestLine && last <= cap(*l)/4 {
		*l = append(make(line, 0, cap(*l)/2), *l...)
	}
	return it
}
