package graph

import (
	"iter"
	"math/bits"
	"slices"
)

// Set is a set of small numbers. The zero value is empty.
//
// It has the words of a bit set that are not zero, in order. It is tempting to store all words.
// But in a function of n suspensions most of n variables are live at a few of n instructions,
// which would take n² bits.
type Set []word

// word has the numbers 64*at to 64*at+63.
type word struct {
	at   int32
	bits uint64
}

// position returns the index of the word for at, and whether the set has it.
func (s Set) position(at int32) (int, bool) {
	last := len(s) - 1
	if last < 0 || s[last].at < at {
		return last + 1, false
	}
	if s[last].at == at {
		return last, true
	}
	return slices.BinarySearchFunc(s, at, func(w word, at int32) int { return int(w.at - at) })
}

// Add adds a number.
func (s *Set) Add(n int) {
	at, bit := int32(n/64), uint64(1)<<(n%64)
	if len(*s) > 0 && (*s)[0].at == at { // as often in a series of descending numbers
		(*s)[0].bits |= bit
		return
	}
	i, has := s.position(at)
	if !has {
		*s = slices.Insert(*s, i, word{at, bit})
		return
	}
	(*s)[i].bits |= bit
}

// Has reports whether a number is a member.
func (s Set) Has(n int) bool {
	i, has := s.position(int32(n / 64))
	return has && s[i].bits&(1<<(n%64)) != 0
}

// Join adds the members of other that are not in without, and reports whether the set has grown.
func (s *Set) Join(other, without Set) (grown bool) {
	i, j, missing := 0, 0, 0
	for _, w := range other {
		if w.bits &^= without.wordAt(w.at, &j); w.bits == 0 {
			continue
		}
		for i < len(*s) && (*s)[i].at < w.at {
			i++
		}
		switch {
		case i == len(*s) || (*s)[i].at != w.at:
			missing++
		case w.bits&^(*s)[i].bits != 0:
			(*s)[i].bits |= w.bits
			grown = true
		}
	}
	if missing > 0 {
		*s = s.merged(other, without, missing)
	}
	return grown || missing > 0
}

// wordAt returns the bits of the word for at; from is the index of the last one asked for, with
// which the search begins.
func (s Set) wordAt(at int32, from *int) uint64 {
	for *from < len(s) && s[*from].at < at {
		*from++
	}
	if *from == len(s) || s[*from].at != at {
		return 0
	}
	return s[*from].bits
}

// merged returns a set with the words of s, and those of other that s does not have.
func (s Set) merged(other, without Set, missing int) Set {
	all := make(Set, 0, len(s)+missing)
	i, j := 0, 0
	for _, w := range other {
		if w.bits &^= without.wordAt(w.at, &j); w.bits == 0 {
			continue
		}
		for i < len(s) && s[i].at < w.at {
			all = append(all, s[i])
			i++
		}
		if i == len(s) || s[i].at != w.at {
			all = append(all, w)
		}
	}
	return append(all, s[i:]...)
}

// Common returns the members that other has, too.
func (s Set) Common(other Set) Set {
	var common Set
	i := 0
	for _, w := range other {
		for i < len(s) && s[i].at < w.at {
			i++
		}
		if i < len(s) && s[i].at == w.at && s[i].bits&w.bits != 0 {
			common = append(common, word{w.at, s[i].bits & w.bits})
		}
	}
	return common
}

// Members iterates over the numbers in the set, in increasing order.
func (s Set) Members() iter.Seq[int] { return s.From(0) }

// From iterates over the numbers in the set that are at least least, in increasing order.
func (s Set) From(least int) iter.Seq[int] {
	return func(yield func(int) bool) {
		first, _ := s.position(int32(least / 64))
		for _, w := range s[first:] {
			rest := w.bits
			if int(w.at) == least/64 {
				rest &= ^uint64(0) << (least % 64)
			}
			for ; rest != 0; rest &= rest - 1 {
				if !yield(int(w.at)*64 + bits.TrailingZeros64(rest)) {
					return
				}
			}
		}
	}
}
