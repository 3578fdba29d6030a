package naming

import (
	"go/token"
	"go/types"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/ir"
)

// Placed contains the decisions made before the variables are named.
type Placed struct {
	Points   []*ir.Point
	Slots    []*ir.Slot
	Vars     []*ir.Variable // all variables
	Results  []*ir.Variable
	Returned []*ir.Variable // the results that the running method returns

	// Hides reports whether a kept statement declares the name of a result.
	Hides func(result *ir.Variable) bool
}

// Choose names points, fields and variables, once their places are known.
func (n *Names) Choose(p Placed) {
	for i, pt := range p.Points {
		pt.Number = i + 1
		n.labelAs(pt.Resume, n.freeLabel("resume"+strconv.Itoa(pt.Number)))
		if pt.Resumed != nil {
			n.labelAs(pt.Resumed, n.freeLabel("after"+strconv.Itoa(pt.Number)))
		}
		if pt.Held != nil && pt.Held.Slot.Vars[0] == pt.Held {
			pt.Held.Slot.Field = n.numberedName(pt.Held.Slot.Stem(), pt.Number)
		}
	}
	results := map[token.Pos][]*ir.Variable{}
	for _, v := range p.Vars {
		if v.Obj == nil && v.Of != nil {
			results[v.Of.Pos()] = append(results[v.Of.Pos()], v)
		}
	}
	for _, pt := range p.Points {
		n.nameResults(pt, results[pt.Call])
	}
	for i, v := range p.Results {
		if v.Name == "" || v.Name == "_" {
			v.Name = "result" + strconv.Itoa(i)
		}
	}
	n.chooseFields(p)
	n.chooseLocals(p)
}

// nameResults names the temporaries for the results of a suspending call after the callee and the
// number of the point: of fetch2, the value is fetch2Value and the error fetch2Err. vars are those
// for expressions at the position of the call.
func (n *Names) nameResults(pt *ir.Point, vars []*ir.Variable) {
	if pt.Held == nil {
		return
	}
	var values []*ir.Variable
	for _, v := range vars {
		switch {
		case v == pt.Held || v.Name != pt.Held.Name:
		case types.Identical(v.Type, types.Universe.Lookup("error").Type()):
			n.nameResult(v, pt.Number, "Err")
		default:
			values = append(values, v)
		}
	}
	for i, v := range values {
		part := "Value"
		if len(values) > 1 {
			part += strconv.Itoa(i)
		}
		n.nameResult(v, pt.Number, part)
	}
}

// nameResult names one of these temporaries, or its field, if the name is free. A local of several
// points has no number.
func (n *Names) nameResult(v *ir.Variable, number int, part string) {
	name := v.Name + strconv.Itoa(number) + part
	if v.Place == ir.InMoveNext && v.Slot.IsShared() {
		name = v.Name + part
	}
	if !n.isFree(name) || n.fields[name] || !n.Safe(name) {
		return
	}
	switch {
	case v.Place != ir.InFrame:
		v.Local = name
	case v.Slot != nil && v.Slot.Field == "" && !v.Slot.IsShared():
		v.Slot.Field = name
	default:
		return
	}
	n.used[name], n.fields[name] = true, true
}

// chooseFields names the fields.
func (n *Names) chooseFields(p Placed) {
	for _, s := range p.Slots {
		switch {
		case s.Field != "":
		case s.Vars[0].Obj == nil:
			s.Field = n.Fresh(s.Stem())
		default:
			s.Field = n.ownField(s.Stem())
		}
	}
	for _, v := range p.Returned {
		v.Field = n.ownField(v.Name)
	}
}

// chooseLocals names the variables that MoveNext mentions, those in blocks last.
func (n *Names) chooseLocals(p Placed) {
	inBlocks := map[int]*block{}
	for _, v := range p.Vars {
		kept := v.Place == ir.InFrame && v.Slot != nil
		if kept {
			v.Field = v.Slot.Field
		}
		switch {
		case v.Place == ir.InMoveNext && v.Slot != nil && v.Slot.Vars[0] != v:
			v.Local = v.Slot.Vars[0].Local
		case kept && v.Obj == nil:
			v.Local = v.Field
		case v.Obj == nil && v.Local == "":
			v.Local = n.temporary(v)
		case v.Obj == nil:
		case v.Place != ir.InBlock:
			v.Local = n.ownLocal(v, nil, p)
		}
	}
	for _, v := range p.Vars {
		if v.Place == ir.InBlock && v.Obj != nil {
			if inBlocks[v.Stretch] == nil {
				inBlocks[v.Stretch] = &block{map[string]bool{}, map[string]int{}}
			}
			v.Local = n.ownLocal(v, inBlocks[v.Stretch], p)
		}
	}
}

// ownField keeps the user's name for a field if it can.
func (n *Names) ownField(name string) string {
	if n.fields[name] || name == "_" {
		return n.another(name, n.nextField, func(s string) bool { return n.fields[s] }, n.fields)
	}
	n.fields[name] = true
	return name
}

// block has the names of one block, which other blocks may reuse.
type block struct {
	used map[string]bool
	next map[string]int // see Names
}

// ownLocal keeps the user's name for a local of MoveNext if it can; in is nil for a local of no
// block.
func (n *Names) ownLocal(v *ir.Variable, in *block, p Placed) string {
	outside := func(s string) bool { return n.used[s] || n.foreign[s] || !n.Safe(s) }
	taken, into, next := outside, n.used, n.nextLocal
	if in != nil {
		taken = func(s string) bool { return in.used[s] || outside(s) }
		into, next = in.used, in.next
	}
	if !taken(v.Name) && v.Name != "_" && !v.Aside && (!v.Passed || !v.Result || !p.Hides(v)) {
		into[v.Name] = true
		return v.Name
	}
	stem := ir.StemOf(v.Name)
	if in != nil {
		// What is taken outside of all blocks need not be tried in each.
		numbered(stem, 2, n.nextLocal, func(s string) bool { return !outside(s) && !n.Mentions[s] })
		next[stem] = max(next[stem], n.nextLocal[stem])
	}
	return n.another(stem, next, taken, into)
}

// another returns a variant of the user's name; next is that of numbered.
func (n *Names) another(name string, next map[string]int, taken func(string) bool, into map[string]bool) string {
	name = numbered(ir.StemOf(name), 2, next, func(s string) bool { return !taken(s) && !n.Mentions[s] && n.Safe(s) })
	into[name] = true
	return name
}
