// Package listeners helps stores to implement stores.Notifier.
package listeners

import (
	"log/slog"
	"maps"
	"slices"
	"sync"
)

// Set is a set of functions to be notified of changes. The zero Set is empty. It is safe for
// concurrent use.
type Set struct {
	mu   sync.Mutex
	all  map[int]func()
	next int
}

// Add adds f until stop is called. stop may be called more than once. A call of f that has begun
// may still be running when stop returns.
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

// Tell calls the functions. It does not hold the lock, so they may call Add and stop. It is called
// on the goroutine that has made a change, perhaps the only one of a store that writes. So a panic
// of a function ends here: it is logged, and the others are called.
func (s *Set) Tell() {
	s.mu.Lock()
	list := slices.Collect(maps.Values(s.all))
	s.mu.Unlock()
	for _, f := range list {
		call(f)
	}
}

func call(f func()) {
	defer func() {
		if v := recover(); v != nil {
			slog.Error("durable: a function that listens to a store has panicked", "panic", v)
		}
	}()
	f()
}
