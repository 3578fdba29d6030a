package jobtest

import (
	"math"
	"math/rand/v2"

	"github.com/movenext/movenext/schedulers/simulation"
)

// # All schedules, each once
//
// The schedule without any deviation takes the oldest turn at each choice. Every
// other schedule is a list of deviations, and has one parent: the schedule
// without its last deviation. So the schedules form a tree, and the children of a
// schedule are known when it has run: at each choice after its last deviation,
// each turn but the oldest.
//
// They are tried in the order of their depth in the tree, so the first failure has the fewest
// deviations of all. The obvious depth-first order changes the last choices first, and in a
// larger program never gets to the first ones. The schedules still to be tried are kept, which
// takes four bytes for each choice of each schedule that may have children.

// exhaustive is the strategy and its progress through the tree.
type exhaustive struct {
	bound       int // deviations; 0: no bound
	runs        []run
	parent      int // the run whose children are tried: runs[parent]
	child       child
	started     bool
	tried       int  // schedules that have run
	truncated   bool // schedules beyond the bound exist, or
	unreachable bool // some children cannot be tried
	deviations  int  // number of deviations in the running schedule
	prefix      int  // where its children begin
}

// run is a completed schedule.
type run struct {
	trace      []choice
	first      int // where its children deviate
	deviations int
}

// choice is a choice in compact form.
type choice struct{ turns, chosen uint16 }

// child is the next child of a parent: the point of its deviation, and the turn that it takes.
type child struct{ choice, turn int }

func newExhaustive(bound int) *exhaustive { return &exhaustive{bound: max(0, bound)} }

func (e *exhaustive) next(_ *rand.Rand, _, _ int) (string, chooser) {
	if !e.started {
		e.started = true
		return "exhaustive", script(nil)
	}
	for e.parent < len(e.runs) {
		p := &e.runs[e.parent]
		if c := e.child; c.choice < len(p.trace) {
			if c.turn < int(p.trace[c.choice].turns) {
				e.child.turn++
				e.deviations, e.prefix = p.deviations+1, c.choice+1
				return "exhaustive", script(p.choicesOf(c))
			}
			e.child = child{c.choice + 1, 1}
			continue
		}
		p.trace = nil // all of its children were tried
		if e.parent++; e.parent < len(e.runs) {
			e.child = child{e.runs[e.parent].first, 1}
		}
	}
	return "", nil
}

// choicesOf returns the choices of a child: those of its parent, and its deviation.
func (r *run) choicesOf(c child) []int {
	chosen := make([]int, c.choice+1)
	for i := range c.choice {
		chosen[i] = int(r.trace[i].chosen)
	}
	chosen[c.choice] = c.turn
	return chosen
}

// record records the schedule that next has returned.
func (e *exhaustive) record(t simulation.Trace) {
	e.tried++
	r := run{first: e.prefix, deviations: e.deviations}
	if !e.matchesParent(t) {
		e.truncated, e.unreachable = true, true
		return
	}
	if len(t) == e.prefix {
		return
	}
	if e.bound > 0 && e.deviations >= e.bound {
		e.truncated = true
		return
	}
	r.trace = make([]choice, len(t))
	for i, c := range t {
		if c.Of > math.MaxUint16 {
			e.truncated, e.unreachable = true, true
		}
		r.trace[i] = choice{uint16(min(c.Of, math.MaxUint16)), uint16(min(c.Chosen, math.MaxUint16))}
	}
	if e.runs = append(e.runs, r); len(e.runs) == 1 {
		e.child = child{r.first, 1}
	}
}

// matchesParent reports whether the choices up to the last deviation equal those of the parent. If
// not, the program depends on more than its schedule.
func (e *exhaustive) matchesParent(t simulation.Trace) bool {
	if len(t) < e.prefix {
		return false
	}
	for i := range e.prefix {
		if int(e.runs[e.parent].trace[i].turns) != t[i].Of {
			return false
		}
	}
	return true
}

// complete reports whether all schedules of the program have run.
func (e *exhaustive) complete() bool { return e.exhausted() && !e.truncated }

// exhausted reports whether all schedules up to the bound have run.
func (e *exhaustive) exhausted() bool { return e.started && e.parent >= len(e.runs) && !e.unreachable }
