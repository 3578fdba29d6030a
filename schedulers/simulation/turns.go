package simulation

import (
	"math/bits"
	"slices"

	"github.com/movenext/movenext/schedulers"
)

// turn is the result of one choice, by its kind:
//
//	Begin                a schedulers.Work begins or, if it is a machine, continues
//	Begin, asleep        a sleeper submits its machine, which continues at once
//	Resume               a *wait is over
//	Expire, Interrupted  a *schedulers.Timer expires
//
// The zero turn is none.
type turn struct {
	kind   Kind
	asleep bool
	what   any
	id     *Turn // for a chooser; nil without one
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

	marked int // the turns up to this position were ready at the last mark

	idle int // how often in a row the memory was found to be far too large
}

// block is the number of turns that a word has bits for.
const block = 64

// low is the lowest bit of i.
func low(i int) int { return i & -i }

func (ts *turns) len() int { return ts.left }

func (ts *turns) add(t turn) {
	if len(ts.all) >= block && ts.left < len(ts.all)/2 {
		ts.pack()
	}
	if ts.left++; len(ts.all) == cap(ts.all) {
		// append would grow a large slice by a quarter, and copy each turn five times.
		ts.all = slices.Grow(ts.all, max(16, len(ts.all)))
	}
	ts.all = append(ts.all, t)
	i := len(ts.all)
	if last := i - 1; last%block == 0 {
		ts.addBlock()
	}
	ts.full[len(ts.full)-1] |= 1 << ((i - 1) % block)
	ts.tree[len(ts.tree)-1]++ // no other node counts the last block
	t.standAt(i)
}

func (ts *turns) addBlock() {
	ts.full = append(ts.full, 0)
	i := len(ts.full)
	count := int32(0)
	for j := i - 1; j > i-low(i); j -= low(j) {
		count += ts.tree[j-1]
	}
	ts.tree = append(ts.tree, count)
}

// find returns the position of the k-th turn, from 0 on.
func (ts *turns) find(k int) int {
	at, rest := 0, k
	for width := 1 << (bits.Len(uint(len(ts.tree))) - 1); width > 0; width /= 2 {
		if next := at + width; next <= len(ts.tree) {
			count := int(ts.tree[next-1])
			// -1: it is among those that are counted; 0: it is behind them
			here := (rest - count) >> (bits.UintSize - 1)
			at += width &^ here
			rest -= count &^ here
		}
	}
	return block*at + selectBit(ts.full[at], rest) + 1
}

// selectBit returns the position of the k-th set bit of word, from 0 on.
//
// Where to search on is computed here, as in find, and not decided: half of the branches of a
// choice at random would be guessed wrong, at 5 ns each.
func selectBit(word uint64, k int) int {
	at := 0
	for width := 32; width >= 8; width /= 2 {
		count := bits.OnesCount64(word & (1<<width - 1))
		here := (k - count) >> (bits.UintSize - 1)
		at += width &^ here
		k -= count &^ here
		word >>= width &^ here
	}
	for ; k > 0; k-- {
		word &= word - 1
	}
	return at + bits.TrailingZeros64(word)
}

// remove removes the turn at position i.
func (ts *turns) remove(i int) turn {
	t := ts.all[i-1]
	ts.all[i-1] = turn{}
	b := (i - 1) / block
	ts.full[b] &^= 1 << ((i - 1) % block)
	for j := b + 1; j <= len(ts.tree); j += low(j) {
		ts.tree[j-1]--
	}
	if ts.left--; ts.left == 0 {
		ts.clear()
	}
	t.standAt(0)
	return t
}

// clear forgets all turns, but keeps the memory for the next ones.
func (ts *turns) clear() {
	ts.all, ts.full, ts.tree, ts.left, ts.marked = ts.all[:0], ts.full[:0], ts.tree[:0], 0, 0
}

// mark marks the turns that are ready now, and no others.
func (ts *turns) mark() { ts.marked = len(ts.all) }

// markedLeft reports whether a marked turn is left.
func (ts *turns) markedLeft() bool { return ts.marked > 0 && ts.find(0) <= ts.marked }

// pack closes the holes.
func (ts *turns) pack() { ts.drop(func(turn) bool { return false }) }

// drop removes what matches. The rest stays in the same memory, unless a crowd has left
// that and does not come back. It comes back if actors have their ticks at the same time:
// until the next tick, drop is called once for each halving of the crowd.
func (ts *turns) drop(match func(turn) bool) {
	old, marked, idle := ts.all, ts.marked, ts.idle+1
	if ts.left >= cap(old)/8 {
		idle = 0
	}
	if ts.clear(); idle > 16 {
		*ts, idle = turns{}, 0
	}
	ts.idle = idle
	for i, t := range old { // a turn is written where one was read, or before
		if !t.hole() && !match(t) {
			ts.add(t)
			if i < marked {
				ts.mark()
			}
		}
	}
	clear(old[min(len(ts.all), len(old)):])
}

// sortFrom orders the turns from position i on, those that became possible last.
func (ts *turns) sortFrom(i int, compare func(a, b turn) int) {
	slices.SortStableFunc(ts.all[i:], compare)
	ts.pack()
}

// works returns the work that has not begun, in its order.
func (ts *turns) works() []schedulers.Work {
	var all []schedulers.Work
	for _, t := range ts.all {
		if t.submitted() {
			all = append(all, t.what.(schedulers.Work))
		}
	}
	return all
}

// sleepers returns the sleepers whose sleep is over and that have not been woken, in their order.
func (ts *turns) sleepers() []sleeper {
	var all []sleeper
	for _, t := range ts.all {
		if t.asleep {
			all = append(all, t.what.(sleeper))
		}
	}
	return all
}

// hole reports whether t is none.
func (t turn) hole() bool { return t.what == nil }

// submitted reports whether t is that of a work item that was submitted.
func (t turn) submitted() bool { return t.kind == Begin && !t.asleep && t.what != nil }

// standAt records the current position of a removable turn in it, from 1 on; 0:
// it is taken. A timer's Slot is the clock's while it is positive, so here it is
// negative.
func (t turn) standAt(i int) {
	switch t.kind {
	case Resume:
		t.what.(*wait).at = i
	case Expire:
		t.what.(*schedulers.Timer).Slot = -i
	}
}
