package simulation

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/movenext/movenext/internal/probe"
)

// follower hides the methods of a [probe.Follower] from the documentation of Scheduler.
type follower = Scheduler

// suspended are the machines that are registered with what they wait for.
type suspended map[probe.Suspension]suspension

// suspension is what the simulation knows of one suspended machine.
type suspension struct {
	number int // in the order in which they began
	on     any
	since  time.Duration
}

// Suspended implements [probe.Follower].
func (s *follower) Suspended(m probe.Suspension, on any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.suspended == nil {
		s.suspended = suspended{}
	}
	s.suspensions++
	s.actors.meet(m)
	s.suspended[m] = suspension{s.suspensions, on, s.clock.Now()}
}

// Resumed implements [probe.Follower].
func (s *follower) Resumed(m probe.Suspension) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.observe.IsSet() {
		s.woken[m] = s.suspended[m].on
	}
	delete(s.suspended, m)
	s.arriving++
}

// Arrived implements [probe.Follower].
func (s *follower) Arrived() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.arriving--; s.arriving == 0 && s.arrived != nil {
		close(s.arrived)
		s.arrived = nil
	}
}

// awaitArrivals waits until no machine is between its wait and the queue, or until ctx
// ends, and reports whether something can run, or may soon. A machine that the outside
// world wakes is between the two for a moment, and the simulation must not end in it.
func (s *Scheduler) awaitArrivals(ctx context.Context) bool {
	s.mu.Lock()
	if s.arriving > 0 && s.arrived == nil {
		s.arrived = make(chan struct{})
	}
	arrived, moving := s.arrived, s.progressPossible()
	s.mu.Unlock()
	if arrived != nil {
		select {
		case <-arrived:
		case <-ctx.Done():
		}
	}
	return moving
}

// progressPossible reports whether something can run, or will be able to at once; mu is held.
func (s *Scheduler) progressPossible() bool { return s.ready.len() > 0 || s.arriving > 0 }

// canProgress is progressPossible for a driver.
func (s *Scheduler) canProgress() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.progressPossible()
}

// inOrder returns the machines in the order in which they were suspended.
func (l suspended) inOrder() []probe.Suspension {
	return slices.SortedFunc(maps.Keys(l), func(a, b probe.Suspension) int { return l[a].number - l[b].number })
}

// verdict says how the simulation has ended, or that it has not, since a machine
// has been woken meanwhile. The error is the deadlock of the machines that are
// still suspended when nothing can run. Their waits cannot be made to fail, so
// they stay.
func (s *Scheduler) verdict() (over bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.exhausted():
		return true, nil
	case s.progressPossible():
		return false, nil
	case len(s.suspended) > 0:
		return true, s.report()
	default:
		return true, nil
	}
}
