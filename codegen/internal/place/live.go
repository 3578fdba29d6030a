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
	flow   graph.Graph
}

// Next returns the instructions that may follow instruction n.
func (l *Liveness) Next(n int) []int { return l.flow[n] }

// Holds reports whether the value of a field is needed before instruction n.
func (l *Liveness) Holds(s *ir.Slot, n int) bool { return holdsAny(s, l.before[n]) }

// newSet returns an empty set of variables.
func (l *Liveness) newSet() graph.Set { return graph.NewSet(len(l.vars)) }

// Before iterates over what is live before instruction n.
func (l *Liveness) Before(n int) iter.Seq[*ir.Variable] {
	return func(yield func(*ir.Variable) bool) {
		for i := range l.before[n].Members() {
			if !yield(l.vars[i]) {
				return
			}
		}
	}
}

// after returns the variables that are live after instruction n.
func (l *Liveness) after(n int) graph.Set {
	s := l.newSet()
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
	uses, defs := graph.NewSets(len(code)+1, len(vars)), graph.NewSets(len(code)+1, len(vars))
	for n, i := range code {
		i.Refs(func(v *ir.Variable) { uses[n].Add(v.Index) }, func(v *ir.Variable) { defs[n].Add(v.Index) })
	}
	flow := ir.Flow(code)
	return &Liveness{vars: vars, before: flow.Live(uses, defs), flow: flow}
}
