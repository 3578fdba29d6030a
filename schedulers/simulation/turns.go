package simulation

import (
	"math/bits"
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
// them. So taken turns leave holes. A word has a bit for each turn of a block of 64,
// and a Fenwick tree (Peter Fenwick, 1994) counts what is left in the blocks: adding,
// taking the k-th and removing one in the middle are logarithmic, and of a hundred
// thousand turns the tree has six kilobytes, which stay in the cache. When most entries
// are holes, the slice is packed.
type turns struct {
	all  []turn   // a zero turn is a hole
	full []uint64 // full[b] has a bit for each turn of all[block*b:]
	tree []int32  // tree[i] counts the turns of the blocks i+1-low(i+1) to i
	left int
	idle int // how often in a row the memory was found to be far too large
}

// block is the number of turns that a word has bits for.
const block = 64

// low is the lowest bit of i.
func low(i int) int { return i & -i }

func (q *turns) len() int { return q.left }

func (q *turns) add(t turn) {
	if len(q.all) >= block && q.left < len(q.all)/2 {
		q.pack()
	}
	q.left++
	q.all = append(q.all, t)
	i := len(q.all)
	if last := i - 1; last%block == 0 {
		q.addBlock()
	}
	q.full[len(q.full)-1] |= 1 << ((i - 1) % block)
	q.tree[len(q.tree)-1]++ // no other node counts the last block
	t.standAt(i)
}

func (q *turns) addBlock() {
	q.full = append(q.full, 0)
	i := len(q.full)
	count := int32(0)
	for j := i - 1; j > i-low(i); j -= low(j) {
		count += q.tree[j-1]
	}
	q.tree = append(q.tree, count)
}

// take removes the k-th turn, from 0 on, and returns it.
func (q *turns) take(k int) turn {
	at, rest := 0, int32(k)
	for width := 1 << (bits.Len(uint(len(q.tree))) - 1); width > 0; width /= 2 {
		if next := at + width; next <= len(q.tree) && q.tree[next-1] <= rest {
			at, rest = next, rest-q.tree[next-1]
		}
	}
	word := q.full[at]
	for ; rest > 0; rest-- {
		word &= word - 1
	}
	return q.remove(block*at + bits.TrailingZeros64(word) + 1)
}

// remove removes the turn at position i.
func (q *turns) remove(i int) turn {
	t := q.all[i-1]
	q.all[i-1] = turn{}
	b := (i - 1) / block
	q.full[b] &^= 1 << ((i - 1) % block)
	for j := b + 1; j <= len(q.tree); j += low(j) {
		q.tree[j-1]--
	}
	if q.left--; q.left == 0 {
		q.clear()
	}
	t.standAt(0)
	return t
}

// clear forgets all turns, but keeps the memory for the next ones.
func (q *turns) clear() {
	q.all, q.full, q.tree, q.left = q.all[:0], q.full[:0], q.tree[:0], 0
}

// pack closes the holes.
func (q *turns) pack() { q.drop(func(turn) bool { return false }) }

// drop removes what matches. The rest stays in the same memory, unless a crowd has left
// that and does not come back. It comes back if actors have their ticks at the same time:
// until the next tick, drop is called once for each halving of the crowd.
func (q *turns) drop(match func(turn) bool) {
	old, idle := q.all, q.idle+1
	if q.left >= cap(old)/8 {
		idle = 0
	}
	if q.clear(); idle > 16 {
		*q, idle = turns{}, 0
	}
	q.idle = idle
	for _, t := range old { // a turn is written where one was read, or before
		if !t.hole() && !match(t) {
			q.add(t)
		}
	}
	clear(old[min(len(q.all), len(old)):])
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
