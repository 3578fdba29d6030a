// Package ebb has a map that gives its memory back.
//
// Go's maps grow and never shrink: one that held a million keys for a moment keeps their room, some forty megabytes, for as
// long as it is there. That is no leak in a program's view, but it is for a lock for each key of which one is locked at a
// time. So the map here drops its room when it is empty after it has been large. What stays small keeps it:
// to make a map anew for each key that comes and goes would cost more than the key.
//
// A map that is never quite empty keeps the room. To move what is left to a smaller map would take long for who happens to
// delete the key before, with a lock held.
package ebb

import "iter"

// Map is a map from K to V. The zero Map is empty. It is not safe for concurrent use. A key that is not comparable panics, as in Go's
// maps.
type Map[K comparable, V any] struct {
	m    map[K]V
	most int // how many keys there were at a time, since the room was made
}

// small is how many keys leave room that is not worth giving back.
const small = 1024

// Get returns the value of key, and whether there is one.
func (m *Map[K, V]) Get(key K) (V, bool) {
	v, ok := m.m[key]
	return v, ok
}

// Put sets the value of key.
func (m *Map[K, V]) Put(key K, v V) {
	if m.m == nil {
		m.m = make(map[K]V)
	}
	m.m[key] = v
	m.most = max(m.most, len(m.m))
}

// Delete removes key, if it is there.
func (m *Map[K, V]) Delete(key K) {
	delete(m.m, key)
	if m.most > small && len(m.m) == 0 {
		m.m, m.most = nil, 0
	}
}

// Len returns the number of keys.
func (m *Map[K, V]) Len() int { return len(m.m) }

// All returns keys and values in no particular order.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for k, v := range m.m {
			if !yield(k, v) {
				return
			}
		}
	}
}
