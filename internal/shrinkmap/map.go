// Package shrinkmap implements a map that releases its memory.
//
// Go's maps grow and never shrink: a map that held a million keys for a moment
// keeps their buckets, some forty megabytes, as long as it exists. That is often
// acceptable, but not in a program that has a lock for each key and locks a million keys
// over time, one at a time. So this map drops its buckets when it becomes empty after it has
// been large. A small map keeps them: making a new map for each key that is added and
// removed would cost more than the key.
//
// A map that never becomes empty keeps its buckets. Moving the remaining keys to a smaller
// map would delay the caller whose deletion triggers the move, while it holds a lock.
package shrinkmap

import "iter"

// Map is a map from K to V. The zero Map is empty. It is not safe for concurrent use. A
// key that is not comparable panics, as in Go's maps.
//
// It has functions instead of methods: gc would compile all methods in each package that
// mentions a lock for keys of its own type.
type Map[K comparable, V any] struct {
	m       map[K]V
	maxKeys int // high-water mark of keys since the buckets were made
}

// small is the number of keys up to which it does not pay to release the buckets.
const small = 1024

// Get returns the value of key in m, and whether there is one.
func Get[K comparable, V any](m *Map[K, V], key K) (V, bool) {
	v, ok := m.m[key]
	return v, ok
}

// Put sets the value of key in m.
func Put[K comparable, V any](m *Map[K, V], key K, v V) {
	if m.m == nil {
		m.m = make(map[K]V)
	}
	m.m[key] = v
	m.maxKeys = max(m.maxKeys, len(m.m))
}

// Delete removes key from m, if it is there.
func Delete[K comparable, V any](m *Map[K, V], key K) {
	delete(m.m, key)
	if m.maxKeys > small && len(m.m) == 0 {
		m.m, m.maxKeys = nil, 0
	}
}

// Len returns the number of keys in m.
func Len[K comparable, V any](m *Map[K, V]) int { return len(m.m) }

// All returns the keys and values of m in no particular order.
func All[K comparable, V any](m *Map[K, V]) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for k, v := range m.m {
			if !yield(k, v) {
				return
			}
		}
	}
}
