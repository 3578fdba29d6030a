package place

import (
	"go/types"

	"github.com/movenext/movenext/codegen/internal/ir"
)

// Function is a function, or a literal that is a machine, whose variables are to be placed. Those
// that are already InFrame stay there.
type Function struct {
	*ir.Function
	Sizes types.Sizes

	// Spell returns the type of a variable as the generated file writes it. An error means
	// that the type cannot be written; the next attempt to write it reports this.
	Spell func(*ir.Variable) (string, error)

	Debug bool // no two variables share a field, and no field is cleared
}

// Variables places all variables of a function, and returns where they are live. It changes them,
// the points of the code and the slots, and nothing else in the function. It must be called once.
func Variables(fn *Function) *Liveness {
	f := &placing{Function: fn}
	f.placeLocally()
	for _, v := range f.Vars {
		v.Cell = v.Place != ir.InBlock && (v.Obj != nil && v.Shared() || v.Unnamed)
	}
	f.live = liveness(f.Code, f.Vars)
	f.placeInFrame()
	f.countReads()
	f.pass()
	f.share()
	if !f.Debug {
		f.findStale()
	}
	return f.live
}

// placing is a function during the placing of its variables.
type placing struct {
	*Function
	live *Liveness
}

// countReads counts how often each variable is read, since Go requires that each local is read.
func (p *placing) countReads() {
	for _, i := range p.Code {
		i.Refs(func(v *ir.Variable) { v.Reads++ }, func(*ir.Variable) {})
	}
	for _, l := range p.Lifted {
		l.Uses(func(v *ir.Variable) { v.Reads++ })
	}
}

// placeLocally finds the variables that are declared and mentioned only between two labels.
func (p *placing) placeLocally() {
	const several = -1
	home := map[*ir.Variable]int{}
	declared := map[*ir.Variable]bool{}
	stretch := 1
	note := func(v *ir.Variable) {
		if at, seen := home[v]; seen && at != stretch {
			home[v] = several
		} else if !seen {
			home[v] = stretch
		}
	}
	for _, i := range p.Code {
		if _, ok := i.(*ir.Mark); ok {
			stretch++
		}
		i.Refs(note, note)
		for _, v := range declares(i) {
			declared[v] = true
		}
	}
	for _, l := range p.Lifted {
		l.Uses(func(v *ir.Variable) { home[v] = several })
	}
	for _, v := range p.Vars {
		if v.Place == ir.InFrame {
			continue
		}
		v.Place = ir.InMoveNext
		if home[v] > 0 && declared[v] {
			v.Place, v.Stretch = ir.InBlock, home[v]
		}
	}
}

// declares lists the variables that an instruction declares. Variables declared inside of a
// dispatch are always passed on to other labels.
func declares(i ir.Instr) []*ir.Variable {
	switch i := i.(type) {
	case *ir.Assign:
		var list []*ir.Variable
		for _, t := range i.Dst {
			if t.Declares {
				list = append(list, t.V)
			}
		}
		return list
	case *ir.Zero:
		return i.Vars
	}
	return nil
}

// placeInFrame moves variables that are live where the machine may be resumed.
func (p *placing) placeInFrame() {
	for v := range p.live.Across() {
		v.Place = ir.InFrame
	}
}
