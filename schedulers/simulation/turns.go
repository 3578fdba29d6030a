package simulation

import (
	"slices"

	"github.com/movenext/movenext/schedulers"
)

// turn is the result of one choice: a work item begins, a wait is over, a timer
// expires. One of the three is set, or none for an interrupt, which is never ready.
type turn struct {
	work  schedulers.Work
	wait  *wait
	timer *schedulers.Timer
	id    *Turn // for a chooser; nil without one
}

// turns are the turns to choose from, in the order in which they became possible.
// A choice takes the k-th of them, for any k, and there may be a hundred thousand
// turns if that many actors are ready. In a slice each choice would copy half of
// them. So taken turns leave holes, and a Fenwick tree (Peter Fenwick, 1994)
// counts what is left: adding, taking the k-th and removing one in the middle are
// logarithmic. When most entries are holes, the slice is packed.
type turns struct {
	all  []turn  // a zero turn is a hole
	tree []int32 // tree[i] counts the turns in all[i+1-low(i+1) : i+1]
	left int
}

// low is the lowest bit of i.
func low(i int) int { return i & -i }

func (q *turns) len() int { return q.left }

func (q *turns) add(t turn) {
	if len(q.all) >= 64 && q.left < len(q.all)/2 {
		q.pack()
	}
	q.left++
	q.all = append(q.all, t)
	i := len(q.all)
	count := int32(1)
	for j := i - 1; j > i-low(i); j -= low(j) {
		count += q.tree[j-1]
	}
	q.tree = append(q.tree, count)
	t.standAt(i)
}

// take removes the k-th turn, from 0 on, and returns it.
func (q *turns) take(k int) turn {
	at, rest, width := 0, int32(k), 1
	for width*2 <= len(q.all) {
		width *= 2
	}
	for ; width > 0; width /= 2 {
		if next := at + width; next <= len(q.all) && q.tree[next-1] <= rest {
			at, rest = next, rest-q.tree[next-1]
		}
	}
	return q.remove(at + 1)
}

// remove removes the turn at position i.
func (q *turns) remove(i int) turn {
	t := q.all[i-1]
	q.all[i-1] = turn{}
	for j := i; j <= len(q.all); j += low(j) {
		q.tree[j-1]--
	}
	if q.left--; q.left == 0 {
		q.all, q.tree = q.all[:0], q.tree[:0]
	}
	t.standAt(0)
	return t
}

// pack closes the holes.
func (q *turns) pack() { q.drop(func(turn) bool { return false }) }

// drop removes what matches.
func (q *turns) drop(match func(turn) bool) {
	old := q.all
	*q = turns{}
	for _, t := range old {
		if !t.hole() && !match(t) {
			q.add(t)
		}
	}
}

// sortFrom orders the turns from position i on, those that became possible last.
func (q *turns) sortFrom(i int, compare func(a, b turn) int) {
	slices.SortStableFunc(q.all[i:], compare)
	q.pack()
}

// works returns the work that has not begun, in its order.
func (q *turns) works() []schedulers.Work {
	var all []schedulers.Work
	for _, t := range q.all {
		if t.work != nil {
			all = append(all, t.work)
		}
	}
	return all
}

func (t turn) hole() bool { return t.work == nil && t.wait == nil && t.timer == nil }

// standAt records the current position of a removable turn in it, from 1 on; 0:
// it is taken. A timer's Slot is the clock's while it is positive, so here it is
// negative.
func (t turn) standAt(i int) {
	switch {
	case t.wait != nil:
		t.wait.at = i
	case t.timer != nil:
		t.timer.Slot = -i
	}
}
