package simulation

import (
	"reflect"

	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/schedulers"
)

// Turn is one option of a choice: what comes next if it is chosen.
type Turn struct {
	Kind  Kind
	Actor uint64 // the work item or machine, the same in all of its steps, from 1 on; 0: none
	Seq   uint64 // numbers the turns in the order in which they became possible; 0: see Kind
}

// NewWith returns a scheduler whose choices are made by choose. It gets the turns
// to choose from, at least two, in the order in which they became possible, and
// returns the index of one of them. [Pass], [Interrupted] and [Picked] come last.
// An index that is out of range counts as the first turn, and so does a panic.
// The trace is recorded, so [Replay] repeats what choose has found.
//
// choose is called by the goroutine of the step, one call at a time. It must not
// use the scheduler, must not block, and must not keep turns. A choice costs time
// in proportion to the number of turns, in contrast to [New].
//
// The actors are for strategies that give each thread a priority: Burckhardt et
// al., "A randomized scheduler with probabilistic guarantees of finding bugs"
// (2010).
func NewWith(choose func(turns []Turn) int, opts ...Option) *Scheduler {
	return newScheduler(choices{chooser: schedulers.NewHook("simulation.NewWith", func(q *question) {
		q.answer = choose(q.turns)
	})}, opts)
}

// question is a call of a chooser.
type question struct {
	turns  []Turn
	answer int
}

// Pick lets the program itself make a choice that belongs to the schedule: one of
// 0 to n-1. It is recorded in the trace like a choice between turns. A test asks
// it whether a request fails this time. An n below 2 is not a choice, and Pick
// returns 0. It does not block.
//
// A program is reproducible only if the work that has its turn calls it.
func (s *Scheduler) Pick(n int) int {
	if n < 2 {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.choices.among(n, func(offer []Turn) []Turn {
		for range n {
			offer = append(offer, Turn{Kind: Picked})
		}
		return offer
	})
}

// offer appends the turns to choose from; mu is held.
func (s *Scheduler) offer(turns []Turn) []Turn {
	for _, t := range s.ready.all {
		if !t.hole() {
			turns = append(turns, *t.id)
		}
	}
	for _, k := range s.others {
		turns = append(turns, Turn{Kind: k})
	}
	return turns
}

// # Actors
//
// A machine is submitted as the same Work in each of its steps, and a wait
// belongs to the work that has begun it. So the pointer identifies the actor.
// Work that is not a pointer is an actor of its own each time, and so is each
// timer. The map keeps ended work alive, so that no other work can get its
// address; hence only a scheduler that needs the map has one.

// actors numbers the work that takes turns. The zero value numbers nothing.
type actors struct {
	numbers map[any]uint64
	last    uint64
	turns   uint64
}

// of returns the actor of a work item. A machine that yields is queued as a work item that
// stands for it.
func (a *actors) of(work any) uint64 {
	if w, is := work.(interface{ StandsFor() any }); is {
		work = w.StandsFor()
	}
	if reflect.TypeOf(work).Kind() != reflect.Pointer {
		a.last++
		return a.last
	}
	n := a.numbers[work]
	if n == 0 {
		a.last++
		n = a.last
		a.numbers[work] = n
	}
	return n
}

// meet numbers a machine that is suspended. Several machines may be woken at the
// same time by goroutines that are not simulated; their numbers are then their
// order.
func (a *actors) meet(m probe.Suspension) {
	if a.numbers != nil {
		a.of(m)
	}
}

// introduce gives a turn that becomes possible its identity.
func (a *actors) introduce(t *turn) {
	if a.numbers == nil {
		return
	}
	a.turns++
	t.id = &Turn{Seq: a.turns}
	t.id.Kind = t.kind
	switch t.kind {
	case Resume:
		t.id.Actor = t.what.(*wait).task.actor
	case Expire:
		a.last++
		t.id.Actor = a.last
	default:
		t.id.Actor = a.of(t.what)
	}
}
