package codegen

import "slices"

// Letting go: a suspended machine keeps nothing alive that it no longer needs.
//
// In plain code a variable that will not be read again keeps nothing alive, long before
// its function returns. A field would, as long as the machine waits, which can be days.
// So where a machine suspends, it empties the fields that may hold pointers and whose
// variables are not needed after the suspension. It is tempting to do that right after
// the last use, but then functions that never suspend would pay, too. Results are left
// alone, since the caller reads them; a machine that has finished is emptied as a
// whole.

// findStale finds for each point the fields to empty there.
func (u *unit) findStale() {
	filled := u.filled()
	for n, i := range u.code {
		p, ok := i.(*park)
		if !ok {
			continue
		}
		needed := u.live.newSet()
		needed.join(u.live.at[p.point.resume.at], nil)
		i.refs(func(v *variable) {
			if v != p.point.held {
				needed.add(v.index) // mentioned by the suspension itself
			}
		}, nil)
		for _, s := range u.slots {
			if s.keepsAlive() && !s.vars[0].result && s.any(filled[n]) && !s.any(needed) {
				p.point.stale = append(p.point.stale, s)
			}
		}
	}
}

func (s *slot) any(members set) bool {
	return slices.ContainsFunc(s.vars, func(v *variable) bool { return members.has(v.index) })
}

// keepsAlive reports whether the field may refer to something.
func (s *slot) keepsAlive() bool {
	v := s.vars[0]
	return v.cell || v.typ == nil || isTypeParam(v.typ) || hasPointers(v.typ)
}

// keepsAlive reports whether a machine that has finished may.
func (u *unit) keepsAlive() bool {
	return len(u.parks()) > 0 && (u.defers || slices.ContainsFunc(u.slots, (*slot).keepsAlive))
}

// filled returns for each instruction which variables may have got a value before, and
// not lost it since.
func (u *unit) filled() []set {
	at := make([]set, len(u.code)+1)
	for n := range at {
		at[n] = u.live.newSet()
	}
	for _, v := range u.given() {
		at[0].add(v.index)
	}
	fills, empties := make([]set, len(u.code)), make([]set, len(u.code))
	for n, i := range u.code {
		fills[n], empties[n] = u.live.newSet(), u.live.newSet()
		if a, ok := i.(*assign); ok && a.forgets {
			empties[n].add(a.dst[0].v.index)
			continue
		}
		for _, v := range mayAssign(i) {
			fills[n].add(v.index)
		}
	}
	for changed := true; changed; {
		changed = false
		for n, i := range u.code {
			for _, next := range u.live.next[n] {
				without := empties[n]
				if p, ok := i.(*park); ok && p.passes(next) {
					without = u.live.newSet()
					without.add(p.point.held.index) // a callee that did not suspend
				}
				changed = at[next].join(at[n], without) || changed
				changed = at[next].join(fills[n], nil) || changed
			}
		}
	}
	return at
}

// passes reports whether the machine continues at instruction n without a callee to
// ask.
func (i *park) passes(n int) bool {
	return i.point.held != nil && i.point.resumed != nil && i.point.resumed.at == n
}
