package timers

import "github.com/movenext/movenext/schedulers"

// heap is a 4-ary heap: the children of i are 4i+1 to 4i+4. With four children
// instead of two it is half as deep, and the children that a step down compares
// are adjacent in memory. Times are kept in the entries, so that a comparison follows a
// pointer only if two times are equal. Then the order of arming decides, which the timer
// has as a number in When.
//
// The entries are stored in chunks. A slice would be copied each time it grows, under the
// lock, and for that moment a million timers would need twice the memory. A chunk is 512
// bytes, the largest object that the Go runtime allocates without a header: a chunk of 1024
// bytes took 1152.
//
// Invariant: the timer of the entry at i has Slot == i+1, and Slot is 0 outside
// the heap.
type heap struct {
	chunks []*chunk
	n      int
}

const (
	chunkBits = 5
	chunkSize = 1 << chunkBits
)

type chunk [chunkSize]entry

type entry struct {
	when  int64
	timer *schedulers.Timer
}

func (e *entry) before(f *entry) bool {
	if e.when != f.when {
		return e.when < f.when
	}
	return e.timer.When < f.timer.When
}

const arity = 4

// entry returns the entry at index i.
func (h *heap) entry(i int) *entry { return &h.chunks[i>>chunkBits][i&(chunkSize-1)] }

func (h *heap) push(e entry) {
	if h.n == len(h.chunks)<<chunkBits {
		h.chunks = append(h.chunks, new(chunk))
	}
	h.n++
	h.up(h.n-1, e)
}

// remove removes the entry at index i and returns its timer.
func (h *heap) remove(i int) *schedulers.Timer {
	t := h.entry(i).timer
	t.Slot = 0
	h.n--
	last := *h.entry(h.n)
	*h.entry(h.n) = entry{}
	if i < h.n {
		if i > 0 && last.before(h.entry((i-1)/arity)) {
			h.up(i, last)
		} else {
			h.down(i, last)
		}
	}
	h.shrink()
	return t
}

// delayFirst changes the time of the first entry to a later one.
func (h *heap) delayFirst(when int64) {
	e := *h.entry(0)
	e.when = when
	h.down(0, e)
}

// up puts e into its position on the path from index i to the root.
func (h *heap) up(i int, e entry) {
	for i > 0 {
		parent := (i - 1) / arity
		if !e.before(h.entry(parent)) {
			break
		}
		h.set(i, *h.entry(parent))
		i = parent
	}
	h.set(i, e)
}

// down puts e into its position on the path from index i to the leaves.
func (h *heap) down(i int, e entry) {
	for {
		first := arity*i + 1
		if first >= h.n {
			break
		}
		child := first
		for c := first + 1; c < min(first+arity, h.n); c++ {
			if h.entry(c).before(h.entry(child)) {
				child = c
			}
		}
		if !h.entry(child).before(&e) {
			break
		}
		h.set(i, *h.entry(child))
		i = child
	}
	h.set(i, e)
}

func (h *heap) set(i int, e entry) {
	*h.entry(i) = e
	e.timer.Slot = i + 1
}

// shrink releases memory after many timers have left. It keeps one chunk more than needed:
// otherwise a heap at the edge of a chunk would allocate the chunk again and again. The list
// of chunks is copied to a smaller one when only a quarter of it is used.
func (h *heap) shrink() {
	used := (h.n + chunkSize - 1) >> chunkBits
	if len(h.chunks) <= used+1 {
		return
	}
	last := len(h.chunks) - 1
	h.chunks[last] = nil
	h.chunks = h.chunks[:last]
	if cap(h.chunks) > chunkSize && last <= cap(h.chunks)/4 {
		h.chunks = append(make([]*chunk, 0, cap(h.chunks)/2), h.chunks...)
	}
}
