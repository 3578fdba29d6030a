package place

import (
	"iter"

	"github.com/movenext/movenext/codegen/internal/graph"
	"github.com/movenext/movenext/codegen/internal/ir"
)

// Liveness contains, for each instruction, the variables that are live: their values may be needed
// from there on.
type Liveness struct {
	vars   []*ir.Variable
	before []graph.Set // of variables by their index; the last is after all instructions
	across graph.Set   // where the machine may be resumed
	flow   graph.Graph
}

// Next returns the instructions that may follow instruction n.
func (l *Liveness) Next(n int) []int { return l.flow[n] }

// Holds reports whether the value of a field is needed before instruction n.
func (l *Liveness) Holds(s *ir.Slot, n int) bool { return holdsAny(s, l.before[n]) }

// Across iterates over what is live at some suspension.
func (l *Liveness) Across() iter.Seq[*ir.Variable] {
	return func(yield func(*ir.Variable) bool) {
		for i := range l.across.Members() {
			if !yield(l.vars[i]) {
				return
			}
		}
	}
}

// after returns the variables that are live after instruction n.
func (l *Liveness) after(n int) graph.Set {
	var s graph.Set
	for _, next := range l.flow[n] {
		s.Join(l.before[next], nil)
	}
	return s
}

// liveness computes what is live in the code. It also numbers the variables.
func liveness(code []ir.Instr, vars []*ir.Variable) *Liveness {
	for i, v := range vars {
		v.Index = i
	}
	uses, defs := make([]graph.Set, len(code)+1), make([]graph.Set, len(code)+1)
	for n, i := range code {
		i.Refs(func(v *ir.Variable) { uses[n].Add(v.Index) }, func(v *ir.Variable) { defs[n].Add(v.Index) })
	}
	flow := ir.Flow(code)
	l := &Liveness{vars: vars, before: flow.Live(uses, defs), flow: flow}
	for _, i := range code {
		if park, ok := i.(*ir.Park); ok {
			l.across.Join(l.before[park.Point.Resume.At], nil)
		}
	}
	return l
}
