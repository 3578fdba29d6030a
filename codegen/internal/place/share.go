package place

import (
	"slices"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/graph"
	"github.com/movenext/movenext/codegen/internal/ir"
)

// Sharing: one field for several variables.
//
// Two variables may share a field if they have the same type and no assignment to one of them
// happens while the value of the other is needed. The second condition is the important one. It
// would not be enough that they are never live at the same time: an assignment whose value is
// never read still overwrites the field.
//
// Parameters and results have separate fields, because users look for them, and the caller reads
// results at the end. Variables with cells also have separate fields.

// shareable is the maximum number of names in the name of a field.
const shareable = 3

// share assigns fields to all variables of the frame.
func (p *placing) share() {
	conflicts := p.conflicts()
	byType := map[string][]*ir.Slot{}
	for _, v := range p.Vars {
		if v.Place != ir.InFrame || !v.Stored() {
			continue
		}
		key := p.slotKey(v)
		for _, s := range byType[key] {
			if takes(s, v, conflicts) {
				v.Slot = s
				s.Vars = append(s.Vars, v)
				break
			}
		}
		if v.Slot == nil {
			v.Slot = &ir.Slot{Vars: []*ir.Variable{v}}
			p.slots = append(p.slots, v.Slot)
			byType[key] = append(byType[key], v.Slot)
		}
	}
}

// slotKey returns equal keys for variables that may share a field: they have one type, and either
// both are from the source or both were made by the lowering.
func (p *placing) slotKey(v *ir.Variable) string {
	spelled, err := p.Spell(v)
	if err != nil || v.Param || v.Result || v.Cell || p.Debug {
		return strconv.Itoa(v.Index) // a unique key; printing the type finds the error again
	}
	return strconv.FormatBool(v.Obj != nil) + spelled
}

// takes reports whether v may share the field s.
func takes(s *ir.Slot, v *ir.Variable, conflicts []graph.Set) bool {
	for _, w := range s.Vars {
		if conflicts[v.Index].Has(w.Index) {
			return false
		}
	}
	names := s.Names()
	return len(names) < shareable || slices.Contains(names, v.Name)
}

// conflicts returns, for each variable, those that must not share a field with it.
func (p *placing) conflicts() []graph.Set {
	all := make([]graph.Set, len(p.Vars))
	for i := range all {
		all[i] = p.live.newSet()
	}
	between := func(assigned []*ir.Variable, live graph.Set) {
		for _, v := range assigned {
			all[v.Index].Join(live, nil)
			for w := range live.Members() {
				all[w].Add(v.Index)
			}
			for _, w := range assigned {
				all[v.Index].Add(w.Index)
			}
		}
	}
	between(p.Inputs, p.live.before[0]) // they have their values before the first instruction
	for n, i := range p.Code {
		if list := mayAssign(i); len(list) > 0 {
			between(list, p.live.after(n))
		}
	}
	return all
}

// mayAssign lists the variables that an instruction may assign, completely or in part. For a kept
// statement, these are all the variables that it mentions.
func mayAssign(i ir.Instr) []*ir.Variable {
	var list []*ir.Variable
	add := func(v *ir.Variable) { list = append(list, v) }
	switch i := i.(type) {
	case *ir.Branch:
		return nil // an expression assigns only variables that have cells
	case *ir.Park:
		return nil // the job that it keeps is forgotten at once after the suspension
	case *ir.Assign:
		for _, t := range i.Dst {
			if t.V != nil {
				add(t.V)
			}
			t.Place.Uses(add) // x.f = 1 changes x
		}
		if len(i.Dst) > 1 {
			i.Src.Uses(add) // vet objects to x, y = x, z
		}
	default:
		i.Refs(add, add)
	}
	return list
}
