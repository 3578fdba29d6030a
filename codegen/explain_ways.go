package codegen

import (
	"slices"

	"github.com/movenext/movenext/codegen/internal/source"
)

// edges follows the instructions from each point to those that are reached next.
func (u *unit) edges() []Edge {
	var list []Edge
	follow := func(from int, work ...int) {
		seen := map[int]bool{}
		reached := map[int]bool{}
		for len(work) > 0 {
			n := work[len(work)-1]
			work = work[:len(work)-1]
			if n >= len(u.code) || seen[n] {
				continue
			}
			seen[n] = true
			if p, ok := u.code[n].(*park); ok {
				reached[p.point.number] = true
				if p.point.kind == source.KindDeferred {
					reached[AtEnd] = true
				}
				continue
			}
			if ends(u.code[n]) {
				reached[AtEnd] = true
			}
			if _, ok := u.code[n].(*handler); ok {
				work = append(work, n+1) // where a panic leads is not drawn
				continue
			}
			work = append(work, u.live.next[n]...)
		}
		for to := AtEnd; to <= len(u.parks()); to++ {
			if reached[to] {
				list = append(list, Edge{from, to})
			}
		}
	}
	follow(AtStart, 0)
	for _, p := range u.parks() {
		if p.resumed != nil {
			follow(p.number, p.resume.at, p.resumed.at)
		} else {
			follow(p.number, p.resume.at)
		}
	}
	return list
}

// ends reports whether the machine may finish in an instruction.
func ends(i instr) bool {
	found := false
	inSpan := func(s *span) {
		for _, e := range s.edit {
			found = found || slices.ContainsFunc(e.code, ends)
		}
	}
	switch i := i.(type) {
	case *finish:
		return true
	case *keep:
		inSpan(&i.text)
	case *dispatch:
		for _, c := range i.clauses {
			for _, s := range c.body {
				inSpan(s)
			}
		}
	}
	return found
}
