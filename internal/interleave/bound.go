//go:build interleave

package interleave

import (
	"math/bits"
	"math/rand/v2"
)

// boundedSearch tries all schedules with a limited number of preemptions, that is, points at
// which a thread is interrupted although it could continue. Most bugs need one or two, and
// even a program with too many schedules has few enough of these.
type boundedSearch struct {
	bound int // -1: none
	nodes []branch
}

// branch is a state along the current schedule.
type branch struct {
	untried     set // threads that are still to be tried
	chosen      int
	last        int
	canContinue bool // the last thread could continue
	preemptions int  // before
}

func (b *boundedSearch) choose(s *Schedule, enabled set, last int) int {
	d := len(s.events)
	if d < len(b.nodes) {
		return b.nodes[d].chosen
	}
	if enabled == 0 {
		return -1
	}
	n := branch{chosen: prefer(enabled, last), last: last, canContinue: last >= 0 && enabled.has(last)}
	if d > 0 {
		n.preemptions = b.nodes[d-1].after()
	}
	n.untried = enabled &^ singleton(n.chosen)
	b.nodes = append(b.nodes, n)
	return n.chosen
}

// after returns the number of preemptions after the choice.
func (n *branch) after() int {
	if n.canContinue && n.chosen != n.last {
		return n.preemptions + 1
	}
	return n.preemptions
}

func (b *boundedSearch) next() bool {
	for len(b.nodes) > 0 {
		n := &b.nodes[len(b.nodes)-1]
		if n.untried != 0 && (!n.canContinue || b.bound < 0 || n.preemptions < b.bound) {
			n.chosen = bits.TrailingZeros32(uint32(n.untried))
			n.untried &^= singleton(n.chosen)
			return true
		}
		b.nodes = b.nodes[:len(b.nodes)-1]
	}
	return false
}

// pct gives the threads random priorities, and lowers the priority of the running thread at
// a few random steps (Burckhardt and others).
type pct struct {
	random   *rand.Rand
	horizon  int // steps of the longest schedule so far
	priority [maxThreads]float64
	changes  map[int]bool
	lowest   float64
}

func newPCT(seed uint64) *pct {
	p := &pct{random: rand.New(rand.NewPCG(seed, 0)), horizon: 1}
	p.next()
	return p
}

func (p *pct) choose(s *Schedule, enabled set, last int) int {
	p.horizon = max(p.horizon, len(s.events))
	if enabled == 0 {
		return -1
	}
	if p.changes[len(s.events)] && last >= 0 {
		p.lowest--
		p.priority[last] = p.lowest
	}
	best := -1
	for _, t := range s.threads {
		if enabled.has(t.id) && (best < 0 || p.priority[t.id] > p.priority[best]) {
			best = t.id
		}
	}
	return best
}

func (p *pct) next() bool {
	for i := range p.priority {
		p.priority[i] = p.random.Float64()
	}
	p.lowest = 0
	p.changes = map[int]bool{}
	for range p.random.IntN(4) {
		p.changes[p.random.IntN(p.horizon)] = true
	}
	return true
}

// script repeats a recorded schedule.
type script []int

func (c script) choose(s *Schedule, enabled set, _ int) int {
	if enabled == 0 || len(s.events) >= len(c) {
		return -1
	}
	return c[len(s.events)]
}

func (script) next() bool { return false }
