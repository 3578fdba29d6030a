// Package listeners has what stores need to be a durable.Notifier.
package listeners

import (
	"maps"
	"slices"
	"sync"
)

// Set is functions that want to know of changes. The zero Set is empty. It is safe for
// concurrent use.
type Set struct {
	mu   sync.Mutex
	all  map[int]func()
	next int
}

// Add puts f in until stop is called, which may be done more than once. A call of f that has
// begun may still run when stop returns.
func (s *Set) Add(f func()) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[int]func(){}
	}
	n := s.next
	s.next++
	s.all[n] = f
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.all, n)
	}
}

// Tell calls the functions, without the lock: they may call Add and stop.
func (s *Set) Tell() {
	s.mu.Lock()
	list := slices.Collect(maps.Values(s.all))
	s.mu.Unlock()
	for _, f := range list {
		f()
	}
}
