package place

import (
	"slices"

	"github.com/movenext/movenext/codegen/internal/graph"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Releasing: a suspended machine keeps nothing alive that it no longer needs.
//
// In plain code a variable that will not be read again keeps nothing alive, long before its
// function returns. A field would keep its target alive as long as the machine waits, which can
// be days. So when a machine suspends, it clears the fields that may hold pointers and whose
// variables are not needed after the suspension. It is tempting to do that right after the last
// use, but then functions that never suspend would pay, too. Results are not cleared, since the
// caller reads them; a machine that has finished is cleared as a whole.

// findStale finds, for each point, the fields to clear there.
func (p *placing) findStale() {
	filledBefore := p.filledBefore()
	for n, i := range p.Code {
		park, ok := i.(*ir.Park)
		if !ok {
			continue
		}
		needed := p.live.newSet()
		needed.Join(p.live.before[park.Point.Resume.At], nil)
		i.Refs(func(v *ir.Variable) {
			if v != park.Point.Held {
				needed.Add(v.Index) // mentioned by the suspension itself
			}
		}, func(*ir.Variable) {})
		for _, s := range p.slots {
			if KeepsAlive(s) && !s.Vars[0].Result && !p.zeroed(n, s) && holdsAny(s, filledBefore[n]) && !holdsAny(s, needed) {
				park.Point.Stale = append(park.Point.Stale, s)
			}
		}
	}
}

// zeroed reports whether a field has just been assigned a zero value, as a result of the entry of
// the callee that has suspended there.
func (p *placing) zeroed(n int, s *ir.Slot) bool {
	if n == 0 || p.Code[n].(*ir.Park).Point.Resumed == nil {
		return false
	}
	call, ok := p.Code[n-1].(*ir.Assign)
	return ok && slices.ContainsFunc(call.Dst, func(d ir.Dest) bool { return d.V != nil && d.V.Slot == s && !d.V.Cell })
}

// holdsAny reports whether a set contains a variable of the field s.
func holdsAny(s *ir.Slot, members graph.Set) bool {
	return slices.ContainsFunc(s.Vars, func(v *ir.Variable) bool { return members.Has(v.Index) })
}

// KeepsAlive reports whether the field may refer to something.
func KeepsAlive(s *ir.Slot) bool {
	v := s.Vars[0]
	return v.Cell || v.Type == nil || typeset.IsParam(v.Type) || typeset.HasPointers(v.Type)
}

// filledBefore returns, for each instruction, the variables that may hold a value before it.
func (p *placing) filledBefore() []graph.Set {
	before := graph.NewSets(len(p.Code)+1, len(p.Vars))
	for _, v := range p.Inputs {
		before[0].Add(v.Index)
	}
	fills, empties := graph.NewSets(len(p.Code), len(p.Vars)), graph.NewSets(len(p.Code), len(p.Vars))
	for n, i := range p.Code {
		if a, ok := i.(*ir.Assign); ok && a.Forgets {
			empties[n].Add(a.Dst[0].V.Index)
			continue
		}
		for _, v := range mayAssign(i) {
			fills[n].Add(v.Index)
		}
	}
	for changed := true; changed; {
		changed = false
		for n, i := range p.Code {
			for _, next := range p.live.flow[n] {
				without := empties[n]
				if park, ok := i.(*ir.Park); ok && passes(park, next) {
					without = p.live.newSet()
					without.Add(park.Point.Held.Index) // nothing was kept
				}
				changed = before[next].Join(before[n], without) || changed
				changed = before[next].Join(fills[n], nil) || changed
			}
		}
	}
	return before
}

// passes reports whether the machine continues at instruction n without the callee or the job
// that it keeps while it is suspended.
func passes(i *ir.Park, n int) bool {
	return i.Point.Held != nil && i.Point.Resumed != nil && i.Point.Resumed.At == n
}
