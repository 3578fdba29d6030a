//go:build interleave

package interleave

import "math/bits"

// # Each order that makes a difference
//
// Two steps of different threads are dependent if they access the same object and one of
// them writes. Schedules that differ only in the order of neighbouring independent steps
// end in the same state, so one of them is enough. The search is that of Flanagan and
// Godefroid, with sleep sets:
//
//	in each state, for each thread p and its next step
//	 1. find the last earlier step e that is dependent on it, could have been done after
//	    it, and did not have to precede it
//	 2. in the state before e, also try p or, if p could not continue there, a thread that
//	    enables it
//
// A thread that was tried in a state sleeps while its alternatives are tried, until a
// dependent step is done: before that, its step would only repeat an order that was
// already tried.
//
// Clocks record which steps had to precede. A thread in Spin and one that waits for a
// mutex cannot continue, so a step that enables them is ordered before them by that fact
// alone. Therefore no step is dependent on Spin.

// reduction is the strategy.
type reduction struct {
	nodes []reductionNode
	cut   bool // the schedule that runs repeats another one from here on
	cuts  int  // schedules that did
}

// reductionNode is a state along the current schedule.
type reductionNode struct {
	enabled set
	todo    set // threads that have to be tried
	done    set // and those that were
	asleep  set
	chosen  int
}

func (r *reduction) choose(s *Schedule, enabled set, last int) int {
	d := len(s.events)
	if d < len(r.nodes) {
		return r.nodes[d].chosen
	}
	if r.cut {
		return prefer(enabled, last)
	}
	r.compare(s, last)
	if enabled == 0 {
		return -1
	}
	n := reductionNode{enabled: enabled}
	if d > 0 {
		before, e := &r.nodes[d-1], &s.events[d-1]
		for _, t := range s.threads {
			if (before.asleep | before.done).has(t.id) && t.id != last && !dependent(&t.op, e) {
				n.asleep |= singleton(t.id)
			}
		}
	}
	awake := enabled &^ n.asleep
	if awake == 0 {
		r.cut = true
		r.cuts++
		return prefer(enabled, last)
	}
	n.chosen = prefer(awake, last)
	n.todo = singleton(n.chosen)
	r.nodes = append(r.nodes, n)
	return n.chosen
}

// prefer returns the preferred thread: the last one, if it can continue.
func prefer(enabled set, last int) int {
	if last >= 0 && enabled.has(last) {
		return last
	}
	return bits.TrailingZeros32(uint32(enabled))
}

// compare finds races between the pending steps and the events. It need not compare all
// pairs: before the last event, all pending steps except that of its thread were the same.
func (r *reduction) compare(s *Schedule, last int) {
	for _, t := range s.threads {
		if t.done || t.op.kind == spin {
			continue
		}
		oldest := len(s.events) - 1
		if t.id == last || t.steps == 0 {
			oldest = 0
		}
		for i := len(s.events) - 1; i >= max(oldest, 0); i-- {
			e := &s.events[i]
			if e.thread != t.id && e.seq > t.clock[e.thread] && races(&t.op, e) {
				r.try(s, i, t)
				break
			}
		}
	}
}

// try makes the search try t in the state before event i or, if t could not continue there,
// a thread that leads to it.
func (r *reduction) try(s *Schedule, i int, t *thread) {
	n := &r.nodes[i]
	if n.enabled.has(t.id) {
		n.todo |= singleton(t.id)
		return
	}
	var leads set
	for _, e := range s.events[i+1:] {
		if e.seq <= t.clock[e.thread] && n.enabled.has(e.thread) {
			leads |= singleton(e.thread)
		}
	}
	switch {
	case leads == 0:
		n.todo |= n.enabled
	case leads&n.todo == 0:
		n.todo |= singleton(prefer(leads, -1))
	}
}

// dependent reports whether the order of the pending step and the event matters.
func dependent(p *step, e *event) bool {
	return p.object == e.object && (e.wrote || p.kind != load)
}

// races reports whether the two are dependent, and the pending step could have been first.
func races(p *step, e *event) bool {
	if !dependent(p, e) {
		return false
	}
	return p.kind != lock || e.kind != unlock
}

func (r *reduction) next() bool {
	r.cut = false
	for len(r.nodes) > 0 {
		n := &r.nodes[len(r.nodes)-1]
		n.done |= singleton(n.chosen)
		if left := n.todo &^ n.done &^ n.asleep; left != 0 {
			n.chosen = prefer(left, -1)
			return true
		}
		r.nodes = r.nodes[:len(r.nodes)-1]
	}
	return false
}
