package priority

import (
	"context"
	"math"
	"slices"

	"github.com/movenext/movenext/internal/heap"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/internal/tally"
	"github.com/movenext/movenext/schedulers"
)

// clock is embedded under this name so that the types of this package have the methods of
// [schedulers.Timers] without an exported field.
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
	tickets shim.Tickets
	levels  int
	age     uint64
	normal  *Group
	tally   tally.Tally

	_        [64]byte
	arrivals interleave.Uint64
	_        [64]byte // submitters write the line before it, and workers those after it

	mu      interleave.Mutex
	groups  heap.Heap[*Group] // the groups with queued items
	taken   uint64            // out of the queues, to run or to be abandoned
	surplus shim.Surplus
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
	s.clock = &s.tickets.Clock
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
		for w, g := s.giveUpNext(); w != nil; w, g = s.giveUpNext() {
			s.tally.Abandon(g, w, schedulers.ErrShutdown)
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
	type item struct {
		position
		work schedulers.Work
	}
	var queued []item
	for _, g := range s.groups.All() {
		for number, w := range g.queue.All() {
			queued = append(queued, item{s.position(g, number), w})
		}
	}
	slices.SortFunc(queued, func(a, b item) int { return a.compare(b.position) })
	var all []schedulers.Work
	for _, it := range queued {
		all = append(all, it.work)
	}
	return all
}

// policy implements the policy that tickets call.
type policy struct{ scheduler *Scheduler }

func (p policy) Put(home schedulers.Scheduler, w schedulers.Work) uint64 {
	return p.scheduler.put(home.(*Group), w)
}

func (p policy) Next() (schedulers.Work, schedulers.Scheduler) { return p.scheduler.next() }

func (p policy) Remove(home schedulers.Scheduler, number uint64) schedulers.Work {
	return p.scheduler.remove(home.(*Group), number)
}

func (p policy) Withdraw(home schedulers.Scheduler, number uint64) (w schedulers.Work, surplus bool) {
	return p.scheduler.withdraw(home.(*Group), number)
}

func (p policy) Account(schedulers.Scheduler) *tally.Tally { return &p.scheduler.tally }

// put adds w to the queue of g, and g to the heap if w is its first item.
func (s *Scheduler) put(g *Group, w schedulers.Work) (number uint64) {
	number, listed := g.queue.PushListed(w, &s.arrivals)
	if listed {
		return number
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	number, first := g.queue.Push(w, &s.arrivals)
	if first {
		g.head = s.position(g, number)
		s.groups.Push(g)
	}
	return number
}

// next takes and returns the item with the lowest position, and its group, or returns nil if
// there is none.
func (s *Scheduler) next() (schedulers.Work, *Group) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, g := s.pop()
	if w == nil {
		s.surplus.Use()
	}
	return w, g
}

// giveUpNext is next for an item whose ticket stays.
func (s *Scheduler) giveUpNext() (schedulers.Work, *Group) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, g := s.pop()
	if w != nil {
		s.surplus++
	}
	return w, g
}

// pop is next with mu held, without the surplus.
func (s *Scheduler) pop() (schedulers.Work, *Group) {
	if s.groups.Len() == 0 {
		return nil, nil
	}
	g := s.groups.First()
	w := g.queue.Pop()
	s.taken++
	s.reposition(g)
	return w, g
}

// countTaken is called by the tally.
func (s *Scheduler) countTaken() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken
}

// remove implements the policy's Remove.
func (s *Scheduler) remove(g *Group, number uint64) schedulers.Work {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.removeFrom(g, number)
	if w != nil {
		s.taken++
	}
	return w
}

// withdraw implements the policy's Withdraw. Work that was refused ages no other work, so its
// number is given back, unless other work has arrived since.
func (s *Scheduler) withdraw(g *Group, number uint64) (w schedulers.Work, surplus bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w = s.removeFrom(g, number); w == nil {
		return nil, s.surplus.Use()
	}
	s.arrivals.CompareAndSwap(number, number-1)
	return w, false
}

// removeFrom takes the item with that number out of the queue of g and returns it, or returns nil
// if it was not there anymore; mu is held.
func (s *Scheduler) removeFrom(g *Group, number uint64) schedulers.Work {
	w := g.queue.Remove(number)
	if w != nil {
		s.reposition(g)
	}
	return w
}

// reposition restores the position of a group in the heap after an item was taken from its queue
// or its level has changed; mu is held.
func (s *Scheduler) reposition(g *Group) {
	if first, more := g.queue.First(); !more {
		s.groups.Remove(g.index)
	} else if at := s.position(g, first); at != g.head {
		g.head = at
		s.groups.Fix(g.index)
	}
}
