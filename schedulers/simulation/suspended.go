package simulation

import (
	"maps"
	"slices"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// suspended are the machines that are registered with what they wait for.
type suspended map[schedulers.Suspension]suspension

// suspension is what the simulation knows of one.
type suspension struct {
	number int // in the order of the beginning
	on     any
	since  time.Duration
}

// Suspended implements [schedulers.Follower].
func (s *Scheduler) Suspended(m schedulers.Suspension, on any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.suspended == nil {
		s.suspended = suspended{}
	}
	s.suspensions++
	s.suspended[m] = suspension{s.suspensions, on, s.clock.Now()}
}

// Resumed implements [schedulers.Follower].
func (s *Scheduler) Resumed(m schedulers.Suspension) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.suspended, m)
}

// inOrder returns the machines in the order in which they were suspended.
func (l suspended) inOrder() []schedulers.Suspension {
	return slices.SortedFunc(maps.Keys(l), func(a, b schedulers.Suspension) int { return l[a].number - l[b].number })
}

// stranded returns the deadlock of the machines that are suspended when nothing can run any
// more, or nil. No wait of theirs can be made to fail, so they stay.
func (s *Scheduler) stranded() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.suspended) == 0 || s.exhausted() {
		return nil
	}
	return s.report()
}
