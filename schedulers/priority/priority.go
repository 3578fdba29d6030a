package priority

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/movenext/movenext/internal/heap"
	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/internal/tally"
	"github.com/movenext/movenext/schedulers"
)

// clock is embedded under this name so that the types of this package have the
// methods of [schedulers.Timers] without an exported field.
type clock = shim.Clock

// DefaultAge is the number of items that count as one level of waiting, unless [Age]
// sets another.
const DefaultAge = 32

// Scheduler runs urgent work first. Make one with [New]. All methods are safe for
// concurrent use.
//
// Besides [schedulers.Scheduler] it implements Layered, Shutdowner, Consenter, Timers
// (those of the scheduler beneath, if it has any), Snapshotter, Limiter (the limit of
// the scheduler beneath) and Meter, and its workers implement HomeBlocker and Pumper.
type Scheduler struct {
	*clock
	tickets shim.Tickets[place]
	levels  int
	age     uint64
	normal  *Group
	tally   tally.Tally

	mu       sync.Mutex
	groups   heap.Heap[*Group] // those with queued items
	arrivals uint64
}

// Option changes a scheduler that is being made.
type Option func(*Scheduler)

// Age sets how many later items count as much as one level: an item of level l is
// overtaken by fewer than l × items later ones. A number below 1 means 1, and one
// above a billion means a billion.
func Age(items int) Option {
	return func(s *Scheduler) { s.age = uint64(min(max(1, items), 1_000_000_000)) }
}

// New returns a scheduler with that many levels, 0 being the most urgent, that runs
// work on over. Work that is submitted to the scheduler itself has the middle level.
// Fewer levels than 1 mean 1, more than 2³¹-1 mean that many. A nil over refuses all
// work.
func New(over schedulers.Scheduler, levels int, opts ...Option) *Scheduler {
	s := &Scheduler{levels: min(max(1, levels), math.MaxInt32), age: DefaultAge}
	for _, o := range opts {
		if o != nil {
			o(s)
		}
	}
	s.tickets = shim.Tickets[place]{Name: "priority", Over: over, Policy: policy{s}}
	s.tickets.Clock.SetOver(over)
	s.clock = &s.tickets.Clock
	s.normal = s.Group((s.levels - 1) / 2)
	return s
}

// Levels returns the number of levels.
func (s *Scheduler) Levels() int { return s.levels }

// Submit is [Group.Submit] for a group of the middle level.
func (s *Scheduler) Submit(w schedulers.Work, from schedulers.Hint) error {
	return s.normal.Submit(w, from)
}

// Shutdown refuses all further work, of all groups, runs the accepted work, and returns
// nil when the last of it has ended. If ctx ends first, work that has not begun is
// abandoned with [schedulers.ErrShutdown] and the cause of ctx is returned. The
// scheduler beneath is not shut down. It blocks, and may be called any number of times,
// also concurrently. A nil ctx never ends.
func (s *Scheduler) Shutdown(ctx context.Context) error {
	return s.tally.Shutdown(ctx, func() {
		for it := s.next(nil); it != nil; it = s.next(nil) {
			it.GiveUp(schedulers.ErrShutdown)
		}
	})
}

// MayRunInPlace reports whether the scheduler beneath consents.
func (s *Scheduler) MayRunInPlace(w schedulers.Work, by schedulers.Worker) bool {
	return s.tickets.MayRunInPlace(w, by)
}

// Beneath implements [schedulers.Layered].
func (s *Scheduler) Beneath() schedulers.Scheduler { return s.tickets.Over }

// MaxConcurrency returns the limit of the scheduler beneath, or 0.
func (s *Scheduler) MaxConcurrency() int { return shim.MaxConcurrency(s.tickets.Over) }

// Metrics implements [schedulers.Meter].
func (s *Scheduler) Metrics() schedulers.Metrics { return s.tally.Metrics() }

// Snapshot implements [schedulers.Snapshotter]: the queued work, in the order in which
// it will run if nothing else arrives.
func (s *Scheduler) Snapshot() []schedulers.Work {
	s.mu.Lock()
	defer s.mu.Unlock()
	var queued []*place
	for _, g := range s.groups.All() {
		queued = slices.AppendSeq(queued, g.queue.All())
	}
	slices.SortFunc(queued, func(a, b *place) int { return a.position().compare(b.position()) })
	var all []schedulers.Work
	for _, at := range queued {
		all = append(all, at.of.Work)
	}
	return all
}

// policy is the scheduler as its tickets see it.
type policy struct{ of *Scheduler }

func (p policy) Put(it *item) { p.of.put(it) }

func (p policy) Next(it *item) *item { return p.of.next(it) }

func (p policy) TakeThis(it *item) bool { return p.of.takeThis(it) }

func (s *Scheduler) put(it *item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enqueue(it)
}

// next queues it, unless it is nil or was queued before, and takes the item with the lowest
// position, or returns nil.
func (s *Scheduler) next(it *item) *item {
	s.mu.Lock()
	defer s.mu.Unlock()
	if it != nil {
		s.enqueue(it)
	}
	if s.groups.Len() == 0 {
		return nil
	}
	at := s.groups.First().queue.First()
	s.remove(at)
	return at.of
}

// enqueue is put with mu held.
func (s *Scheduler) enqueue(it *item) {
	at := &it.Item
	if at.of != nil {
		return
	}
	at.of = it
	s.arrivals++
	at.arrival = s.arrivals
	g := at.group
	if g.queue.Add(&at.links, at); g.queue.Len() == 1 {
		g.head = at.position()
		s.groups.Push(g)
	}
}

// remove takes at out of its group's queue; mu is held.
func (s *Scheduler) remove(at *place) {
	g := at.group
	first := g.queue.First() == at
	g.queue.Remove(&at.links)
	switch {
	case g.queue.Len() == 0:
		s.groups.Remove(g.index)
	case first:
		g.head = g.queue.First().position()
		s.groups.Fix(g.index)
	}
}

// takeThis takes it out of its queue, and reports whether it was there.
func (s *Scheduler) takeThis(it *item) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := &it.Item
	if !at.links.In() {
		return false
	}
	s.remove(at)
	return true
}
