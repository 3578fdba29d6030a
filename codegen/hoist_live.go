package codegen

import (
	"iter"
	"math/bits"
)

// set is a set of variables, by their index.
type set []uint64

func (s set) add(n int)      { s[n/64] |= 1 << (n % 64) }
func (s set) has(n int) bool { return s[n/64]&(1<<(n%64)) != 0 }

// join adds the members of other that are not in without, and reports whether one is
// new.
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

// liveness says for each instruction which variables are live: their values may be
// needed from there on.
type liveness struct {
	vars []*variable
	at   []set // before each instruction, and after the last
	next [][]int
}

// newSet is an empty set of variables.
func (l *liveness) newSet() set { return make(set, (len(l.vars)+63)/64) }

// before iterates over what is live before instruction n.
func (l *liveness) before(n int) iter.Seq[*variable] {
	return func(yield func(*variable) bool) {
		for i := range l.at[n].members() {
			if !yield(l.vars[i]) {
				return
			}
		}
	}
}

// after is what is live after instruction n.
func (l *liveness) after(n int) set {
	s := l.newSet()
	for _, next := range l.next[n] {
		s.join(l.at[next], nil)
	}
	return s
}

// liveness follows the instructions backwards until nothing changes.
func (u *unit) liveness() *liveness {
	l := &liveness{vars: u.all, at: make([]set, len(u.code)+1), next: make([][]int, len(u.code))}
	for i, v := range u.all {
		v.index = i
	}
	kills := make([]set, len(u.code))
	for n, i := range u.code {
		l.at[n], kills[n] = l.newSet(), l.newSet()
		i.refs(func(v *variable) { l.at[n].add(v.index) }, func(v *variable) { kills[n].add(v.index) })
		l.next[n] = u.successors(n)
	}
	l.at[len(u.code)] = l.newSet()
	for changed := true; changed; {
		changed = false
		for n := len(u.code) - 1; n >= 0; n-- {
			for _, next := range l.next[n] {
				changed = l.at[n].join(l.at[next], kills[n]) || changed
			}
		}
	}
	return l
}

// successors are the instructions that may follow instruction n. Beyond the last
// one nothing does.
//
// All decisions about lifetimes rest on them: a new way to continue must be added here.
func (u *unit) successors(n int) []int {
	var list []int
	for _, to := range u.code[n].targets() {
		list = append(list, to.at)
	}
	if u.code[n].falls() {
		list = append(list, n+1)
	}
	return list
}
