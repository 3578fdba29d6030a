package place

import (
	"go/types"

	"github.com/movenext/movenext/codegen/internal/ir"
)

// Function contains the data needed to place the variables of a function, or of a literal that is
// a machine.
type Function struct {
	Code   []ir.Instr
	Vars   []*ir.Variable // all variables; those that are already InFrame stay there
	Lifted []*ir.Span     // declarations that precede the code

	Inputs  []*ir.Variable // the receiver, the parameters, the captures of a literal
	Results []*ir.Variable

	Sizes types.Sizes

	// Spell returns the type of a variable as the generated file writes it. An error means
	// that the type cannot be written; the next attempt to write it reports this.
	Spell func(*ir.Variable) (string, error)

	Debug   bool // no two variables share a field, and no field is cleared
	Stream  bool // it starts when its first value is requested
	Defers  bool // it defers calls: its results may be read after a panic
	Resumes bool // code that may suspend runs between a return statement and the end
}

// Layout describes where the variables live. Information about a single variable or suspension
// point is stored there: see [ir.Variable] and the field Stale of [ir.Point].
type Layout struct {
	Slots []*ir.Slot // the fields of the frame
	Live  *Liveness
}

// Variables places all variables of a function. It changes them and the points of the code, and
// nothing else in the function. It must be called once.
func Variables(fn *Function) *Layout {
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
	return &Layout{Slots: f.slots, Live: f.live}
}

// placing is a function during the placing of its variables.
type placing struct {
	*Function

	live  *Liveness
	slots []*ir.Slot
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
	for _, i := range p.Code {
		if park, ok := i.(*ir.Park); ok {
			for v := range p.live.Before(park.Point.Resume.At) {
				v.Place = ir.InFrame
			}
		}
	}
}
