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
	fields := make([]int, len(p.Vars)) // of the variables
	var keep graph.Set                 // the variables whose fields may have to be cleared
	for i, s := range p.Slots {
		keeps := KeepsAlive(s) && !s.Vars[0].Result
		for _, v := range s.Vars {
			if fields[v.Index] = i; keeps {
				keep.Add(v.Index)
			}
		}
	}
	filled := p.filledBefore(keep)
	for n, i := range p.Code {
		park, ok := i.(*ir.Park)
		if !ok {
			continue
		}
		var full, needed graph.Set // fields
		for of := range filled.before[n].Members() {
			full.Add(fields[filled.vars[of].Index])
		}
		for v := range keep.Common(p.live.before[park.Point.Resume.At]).Members() {
			needed.Add(fields[v])
		}
		i.Refs(func(v *ir.Variable) {
			if v != park.Point.Held && keep.Has(v.Index) {
				needed.Add(fields[v.Index]) // mentioned by the suspension itself
			}
		}, func(*ir.Variable) {})
		for at := range full.Members() {
			if s := p.Slots[at]; !needed.Has(at) && !p.zeroed(n, s) {
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

// fillings say which fields may hold a value before each instruction. A variable that is forgotten
// somewhere counts for itself; the other variables of a field count as one.
type fillings struct {
	before []graph.Set
	vars   []*ir.Variable // the members; one may stand for several
}

// filledBefore returns the fillings of the fields of the variables in keep.
func (p *placing) filledBefore(keep graph.Set) *fillings {
	f := &fillings{before: make([]graph.Set, len(p.Code)+1)}
	fills, empties := make([]graph.Set, len(p.Code)), make([]graph.Set, len(p.Code))
	members, bySlot := map[*ir.Variable]int{}, map[*ir.Slot]int{}
	enter := func(v *ir.Variable) int {
		f.vars = append(f.vars, v)
		return len(f.vars) - 1
	}
	forgotten := func(v *ir.Variable) {
		if _, known := members[v]; !known && keep.Has(v.Index) {
			members[v] = enter(v)
		}
	}
	for _, i := range p.Code {
		switch i := i.(type) {
		case *ir.Assign:
			if i.Forgets {
				forgotten(i.Dst[0].V)
			}
		case *ir.Park:
			if i.Point.Held != nil {
				forgotten(i.Point.Held)
			}
		}
	}
	add := func(to *graph.Set, v *ir.Variable) {
		if !keep.Has(v.Index) {
			return
		}
		of, known := members[v]
		if !known {
			if of, known = bySlot[v.Slot]; !known {
				of = enter(v)
				bySlot[v.Slot] = of
			}
		}
		to.Add(of)
	}
	for _, v := range p.Inputs() {
		add(&f.before[0], v)
	}
	for n, i := range p.Code {
		if a, ok := i.(*ir.Assign); ok && a.Forgets {
			add(&empties[n], a.Dst[0].V)
			continue
		}
		for _, v := range mayAssign(i) {
			add(&fills[n], v)
		}
	}
	for changed := true; changed; {
		changed = false
		for n, i := range p.Code {
			for _, next := range p.live.flow[n] {
				without := empties[n]
				if park, ok := i.(*ir.Park); ok && passes(park, next) {
					without = nil
					add(&without, park.Point.Held) // nothing was kept
				}
				changed = f.before[next].Join(f.before[n], without) || changed
				changed = f.before[next].Join(fills[n], nil) || changed
			}
		}
	}
	return f
}

// passes reports whether the machine continues at instruction n without the callee or the job
// that it keeps while it is suspended.
func passes(i *ir.Park, n int) bool {
	return i.Point.Held != nil && i.Point.Resumed != nil && i.Point.Resumed.At == n
}
