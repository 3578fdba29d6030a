package place

import (
	"slices"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/graph"
	"github.com/movenext/movenext/codegen/internal/ir"
)

// Sharing: one place for several variables.
//
// Two variables may share a field of the frame, or a local of MoveNext, if they have the same type
// and no assignment to one of them happens while the value of the other is needed. The second
// condition is the important one. It would not be enough that they are never live at the same
// time: an assignment whose value is never read still overwrites the place.
//
// Parameters and results have separate fields, because users look for them, and the caller reads
// results at the end. Variables with cells also have separate fields.
//
// Locals are shared for gc, whose time for a function grows with the product of its locals and its
// suspension points. A function that awaits three thousand jobs, and calls each error err, has one
// local for all of them. Locals of different names are not shared, since they cost no memory while
// the machine is suspended.

// shareable is the maximum number of names in the name of a field.
const shareable = 3

// share assigns places to all variables of the frame and of MoveNext: to each the first that takes
// it.
func (p *placing) share() {
	conflicts := p.conflicts()
	byType := map[string]*sharing{}
	fieldOf := make([]*field, len(p.Vars))
	for _, v := range p.Vars {
		list := p.slotsFor(v)
		if list == nil {
			continue
		}
		for w := range conflicts[v.Index].Members() {
			if f := fieldOf[w]; f != nil {
				f.refuses = v
			}
		}
		key := p.slotKey(v)
		kind := byType[key]
		if kind == nil {
			kind = &sharing{named: map[string][]*field{}}
			byType[key] = kind
		}
		f := kind.first(v)
		if f == nil {
			f = &field{Slot: new(ir.Slot), at: len(*list)}
			*list, kind.open = append(*list, f.Slot), append(kind.open, f)
		}
		kind.add(v, f)
		f.refused.Join(conflicts[v.Index], nil)
		fieldOf[v.Index] = f
	}
}

// slotsFor returns the list of the places of which v needs one; nil: it needs none.
func (p *placing) slotsFor(v *ir.Variable) *[]*ir.Slot {
	switch {
	case v.Place == ir.InFrame && v.Stored():
		return &p.Slots
	case v.Place == ir.InMoveNext && !v.Passed && (v.Reads > 0 || v.Cell):
		return &p.Locals
	}
	return nil
}

// sharing has the places for one type. It is tempting to try one after another. But most of the
// fields of a large function may have all the names that they can have.
type sharing struct {
	open  []*field            // that have room for another name
	named map[string][]*field // by the names of their variables
}

type field struct {
	*ir.Slot
	at      int // in the list of fields
	names   []string
	refuses *ir.Variable // the last one that conflicts with a variable of the field
	refused graph.Set    // those with which a variable of the field conflicts
}

// first returns the first field that takes v, or nil.
func (s *sharing) first(v *ir.Variable) *field {
	takes := func(f *field) bool { return f.refuses != v && !f.refused.Has(v.Index) }
	var first *field
	if i := slices.IndexFunc(s.open, takes); i >= 0 {
		first = s.open[i]
	}
	if i := slices.IndexFunc(s.named[v.Name], takes); i >= 0 {
		if f := s.named[v.Name][i]; first == nil || f.at < first.at {
			first = f
		}
	}
	return first
}

// add adds v to a field.
func (s *sharing) add(v *ir.Variable, f *field) {
	v.Slot, f.Vars = f.Slot, append(f.Vars, v)
	name := ir.StemOf(v.Name)
	if slices.Contains(f.names, name) {
		return
	}
	f.names = append(f.names, name)
	i, _ := slices.BinarySearchFunc(s.named[name], f.at, func(other *field, at int) int { return other.at - at })
	s.named[name] = slices.Insert(s.named[name], i, f)
	if len(f.names) == shareable {
		s.open = slices.DeleteFunc(s.open, func(other *field) bool { return other == f })
	}
}

// slotKey returns equal keys for variables that may share a place: they have one type, and either
// both are from the source or both were made by the lowering. Those that share a local also have
// one name.
func (p *placing) slotKey(v *ir.Variable) string {
	spelled, err := p.Spell(v)
	if err != nil || v.Param || v.Result || v.Cell || v.Aside || p.Debug {
		return strconv.Itoa(v.Index) // a unique key; printing the type finds the error again
	}
	key := strconv.FormatBool(v.Obj != nil) + spelled
	if v.Place == ir.InMoveNext {
		key = v.Name + " " + key
	}
	return key
}

// conflicts returns, for each variable, those that must not share a place with it. Of two such
// variables, one has the other. It is tempting to enter both. But all variables of a function may
// be live at once, and a set takes others by the word.
func (p *placing) conflicts() []graph.Set {
	all := make([]graph.Set, len(p.Vars))
	between := func(assigned []*ir.Variable, live graph.Set) {
		var together graph.Set
		for _, v := range assigned {
			together.Add(v.Index)
		}
		for _, v := range assigned {
			all[v.Index].Join(live, nil)
			all[v.Index].Join(together, nil)
		}
	}
	between(p.Inputs(), p.live.before[0]) // they have their values before the first instruction
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
