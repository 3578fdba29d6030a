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

// ticketHome is embedded under this name so that the types of this package have the
// methods of [schedulers.Timers] without an exported field.
type ticketHome = shim.TicketHome

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
	*ticketHome
	tickets shim.Tickets
	levels  int
	age     uint64
	normal  *Group
	tally   tally.Tally

	mu       sync.Mutex
	groups   heap.Heap[*Group] // the groups with queued items
	arrivals uint64
	taken    uint64 // out of the queues, to run or to be abandoned
}

// Option configures a scheduler that is being made.
type Option func(*Scheduler)

// Age sets how many later items count as much as one level: an item of level l is
// overtaken by fewer than l × items later ones. A number below 1 means 1, and a number
// above a billion means a billion.
func Age(items int) Option {
	return func(s *Scheduler) { s.age = uint64(min(max(1, items), 1_000_000_000)) }
}

// New returns a scheduler with the given number of levels, 0 being the most urgent, that
// runs work on over. Work that is submitted to the scheduler itself has the middle level.
// The number of levels is limited to 1 to 2³¹-1. A nil over refuses all work.
func New(over schedulers.Scheduler, levels int, opts ...Option) *Scheduler {
	s := &Scheduler{levels: min(max(1, levels), math.MaxInt32), age: DefaultAge}
	for _, o := range opts {
		if o != nil {
			o(s)
		}
	}
	s.tickets.Init("priority", over, policy{s})
	s.ticketHome = &s.tickets.TicketHome
	s.tally.CountTaken = s.countTaken
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
func (s *Scheduler) MayRunInPlace(w schedulers.Work, caller schedulers.Worker) bool {
	return s.tickets.MayRunInPlace(w, caller)
}

// Beneath implements [schedulers.Layered].
func (s *Scheduler) Beneath() schedulers.Scheduler { return s.tickets.Beneath }

// MaxConcurrency returns the limit of the scheduler beneath, or 0.
func (s *Scheduler) MaxConcurrency() int { return shim.MaxConcurrency(s.tickets.Beneath) }

// Metrics implements [schedulers.Meter].
func (s *Scheduler) Metrics() schedulers.Metrics { return s.tally.Metrics() }

// Snapshot implements [schedulers.Snapshotter]: the queued work, in the order in which
// it will run if nothing else arrives.
func (s *Scheduler) Snapshot() []schedulers.Work {
	s.mu.Lock()
	defer s.mu.Unlock()
	var queued []*shim.Ticket
	for _, g := range s.groups.All() {
		queued = slices.AppendSeq(queued, g.queue.All())
	}
	slices.SortFunc(queued, func(a, b *shim.Ticket) int { return positionOf(a).compare(positionOf(b)) })
	var all []schedulers.Work
	for _, t := range queued {
		all = append(all, t.Work)
	}
	return all
}

// policy implements the policy that tickets call.
type policy struct{ scheduler *Scheduler }

func (p policy) Put(t *shim.Ticket) { p.scheduler.put(t) }

func (p policy) Next(t *shim.Ticket) *shim.Ticket { return p.scheduler.next(t) }

func (p policy) Remove(t *shim.Ticket) bool { return p.scheduler.remove(t) }

func (p policy) Account(*shim.Ticket) *tally.Tally { return &p.scheduler.tally }

func (s *Scheduler) put(t *shim.Ticket) {
	s.mu.Lock()
	s.enqueue(t)
	s.mu.Unlock()
}

// next queues t, unless t is nil or was queued before. Then it takes and returns the ticket
// with the lowest position, or returns nil if there is none.
func (s *Scheduler) next(t *shim.Ticket) *shim.Ticket {
	s.mu.Lock()
	if t != nil {
		s.enqueue(t)
	}
	var first *shim.Ticket
	if s.groups.Len() > 0 {
		g := s.groups.First()
		first = g.queue.Pop()
		s.taken++
		s.reposition(g)
	}
	s.mu.Unlock()
	return first
}

// countTaken is called by the tally.
func (s *Scheduler) countTaken() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken
}

// enqueue is put with mu held.
func (s *Scheduler) enqueue(t *shim.Ticket) {
	g := groupOf(t)
	if !g.queue.Push(t) {
		return
	}
	s.arrivals++
	t.SetNumber(s.arrivals)
	if g.queue.Len() == 1 {
		g.head = positionOf(t)
		s.groups.Push(g)
	}
}

// remove takes t out of its queue, and reports whether it was there.
func (s *Scheduler) remove(t *shim.Ticket) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := groupOf(t)
	was := g.queue.Remove(t)
	if was {
		s.taken++
		s.reposition(g)
	}
	return was
}

// reposition restores the position of a group in the heap after a ticket was taken from its queue
// or its level has changed; mu is held.
func (s *Scheduler) reposition(g *Group) {
	if first := g.queue.First(); first == nil {
		s.groups.Remove(g.index)
	} else if at := positionOf(first); at != g.head {
		g.head = at
		s.groups.Fix(g.index)
	}
}
