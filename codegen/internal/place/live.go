package place

import (
	"iter"
	"math/bits"

	"github.com/movenext/movenext/codegen/internal/ir"
)

// set is a set of variables, by their index.
type set []uint64

func (s set) add(n int)      { s[n/64] |= 1 << (n % 64) }
func (s set) has(n int) bool { return s[n/64]&(1<<(n%64)) != 0 }

// join adds the members of other that are not in without, and reports whether the set has grown.
func (s set) join(other, without set) (grown bool) {
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

func (s set) members() iter.Seq[int] {
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

// Liveness contains, for each instruction, the variables that are live: their values may be needed
// from there on.
type Liveness struct {
	vars []*ir.Variable
	at   []set // before each instruction, and after the last
	next [][]int
}

// Next returns the instructions that may follow instruction n.
func (l *Liveness) Next(n int) []int { return l.next[n] }

// Holds reports whether the value of a field is needed before instruction n.
func (l *Liveness) Holds(s *ir.Slot, n int) bool { return holdsAny(s, l.at[n]) }

// newSet returns an empty set of variables.
func (l *Liveness) newSet() set { return make(set, (len(l.vars)+63)/64) }

// Before iterates over what is live before instruction n.
func (l *Liveness) Before(n int) iter.Seq[*ir.Variable] {
	return func(yield func(*ir.Variable) bool) {
		for i := range l.at[n].members() {
			if !yield(l.vars[i]) {
				return
			}
		}
	}
}

// after returns the variables that are live after instruction n.
func (l *Liveness) after(n int) set {
	s := l.newSet()
	for _, next := range l.next[n] {
		s.join(l.at[next], nil)
	}
	return s
}

// liveness follows the instructions backwards until nothing changes. It also numbers the
// variables.
func liveness(code []ir.Instr, vars []*ir.Variable) *Liveness {
	l := &Liveness{vars: vars, at: make([]set, len(code)+1), next: make([][]int, len(code))}
	for i, v := range vars {
		v.Index = i
	}
	kills := make([]set, len(code))
	for n, i := range code {
		l.at[n], kills[n] = l.newSet(), l.newSet()
		i.Refs(func(v *ir.Variable) { l.at[n].add(v.Index) }, func(v *ir.Variable) { kills[n].add(v.Index) })
		l.next[n] = ir.Successors(code, n)
	}
	l.at[len(code)] = l.newSet()
	for changed := true; changed; {
		changed = false
		for n := len(code) - 1; n >= 0; n-- {
			for _, next := range l.next[n] {
				changed = l.at[n].join(l.at[next], kills[n]) || changed
			}
		}
	}
	return l
}
