package graph

import (
	"iter"
	"math/bits"
)

// Set is a set of small numbers.
type Set []uint64

// NewSet returns an empty set for numbers below size.
func NewSet(size int) Set { return make(Set, (size+63)/64) }

// NewSets returns count empty sets.
func NewSets(count, size int) []Set {
	sets := make([]Set, count)
	for i := range sets {
		sets[i] = NewSet(size)
	}
	return sets
}

// Add adds a number.
func (s Set) Add(n int) { s[n/64] |= 1 << (n % 64) }

// Has reports whether a number is a member.
func (s Set) Has(n int) bool { return s[n/64]&(1<<(n%64)) != 0 }

// Join adds the members of other that are not in without, and reports whether the set has grown.
// without may be nil.
func (s Set) Join(other, without Set) (grown bool) {
	for i, word := range other {
		if without != nil {
			word &^= without[i]
		}
		if word&^s[i] != 0 {
			s[i] |= word
			grown = true
		}
	}
	return grown
}

// Members iterates over the numbers in the set, in increasing order.
func (s Set) Members() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(i*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}
