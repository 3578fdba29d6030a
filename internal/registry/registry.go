// Package registry keeps the entries that callers have registered and not removed: the
// observers of a program, for example. Entries are registered seldom and read often, by
// readers that must not take a lock.
package registry

import (
	"slices"
	"sync"
)

// List is a list of entries in the order of their registration. The zero List is empty. It
// is safe for concurrent use.
type List[T any] struct {
	mu  sync.Mutex
	all []*T
}

// Add adds entry, and returns a function that removes it and may be called more than once.
// After each of the two changes, publish is called with all entries, for readers without
// the lock. Its calls have the order of the changes, and the slice that it gets never
// changes afterwards. It must not call the List.
func (l *List[T]) Add(entry *T, publish func(all []*T)) (remove func()) {
	l.change(publish, func(all []*T) []*T { return append(all, entry) })
	return sync.OnceFunc(func() {
		l.change(publish, func(all []*T) []*T {
			return slices.DeleteFunc(all, func(other *T) bool { return other == entry })
		})
	})
}

// change replaces the entries by the result of f, which may change its argument.
func (l *List[T]) change(publish func([]*T), f func([]*T) []*T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = f(slices.Clone(l.all))
	publish(l.all)
}
