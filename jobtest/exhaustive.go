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
	bound  int // deviations; 0: no bound
	from   []run
	parent int // the run whose children are tried: from[parent]
	child  child
	begun  bool
	tried  int  // schedules that have run
	cut    bool // schedules beyond the bound exist, or
	lost   bool // some children cannot be tried
	trying int  // number of deviations in the running schedule
	skip   int  // where its children begin
}

// run is a completed schedule.
type run struct {
	trace      []choice
	first      int // where its children deviate
	deviations int
}

// choice is a choice in compact form.
type choice struct{ of, chosen uint16 }

// child is the next child of a parent: the point of its deviation, and the turn that it takes.
type child struct{ at, to int }

func newExhaustive(bound int) *exhaustive { return &exhaustive{bound: max(0, bound)} }

func (e *exhaustive) next(_ *rand.Rand, _, _ int) (string, chooser) {
	if !e.begun {
		e.begun = true
		return "exhaustive", script(nil)
	}
	for e.parent < len(e.from) {
		p := &e.from[e.parent]
		if c := e.child; c.at < len(p.trace) {
			if c.to < int(p.trace[c.at].of) {
				e.child.to++
				e.trying, e.skip = p.deviations+1, c.at+1
				return "exhaustive", script(p.until(c))
			}
			e.child = child{c.at + 1, 1}
			continue
		}
		p.trace = nil // all of its children were tried
		if e.parent++; e.parent < len(e.from) {
			e.child = child{e.from[e.parent].first, 1}
		}
	}
	return "", nil
}

// until returns the choices of a child: those of its parent, and its deviation.
func (r *run) until(c child) []int {
	chosen := make([]int, c.at+1)
	for i := range c.at {
		chosen[i] = int(r.trace[i].chosen)
	}
	chosen[c.at] = c.to
	return chosen
}

// ran records the schedule that next has returned.
func (e *exhaustive) ran(t simulation.Trace) {
	e.tried++
	r := run{first: e.skip, deviations: e.trying}
	if !e.expected(t) {
		e.cut, e.lost = true, true
		return
	}
	if len(t) == e.skip {
		return
	}
	if e.bound > 0 && e.trying >= e.bound {
		e.cut = true
		return
	}
	r.trace = make([]choice, len(t))
	for i, c := range t {
		if c.Of > math.MaxUint16 {
			e.cut, e.lost = true, true
		}
		r.trace[i] = choice{uint16(min(c.Of, math.MaxUint16)), uint16(min(c.Chosen, math.MaxUint16))}
	}
	if e.from = append(e.from, r); len(e.from) == 1 {
		e.child = child{r.first, 1}
	}
}

// expected reports whether the choices up to the last deviation equal those of the parent. If
// not, the program depends on more than its schedule.
func (e *exhaustive) expected(t simulation.Trace) bool {
	if len(t) < e.skip {
		return false
	}
	for i := range e.skip {
		if int(e.from[e.parent].trace[i].of) != t[i].Of {
			return false
		}
	}
	return true
}

// complete reports whether all schedules of the program have run.
func (e *exhaustive) complete() bool { return e.exhausted() && !e.cut }

// exhausted reports whether all schedules up to the bound have run.
func (e *exhaustive) exhausted() bool { return e.begun && e.parent >= len(e.from) && !e.lost }
