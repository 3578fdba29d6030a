package timers

import "github.com/movenext/movenext/schedulers"

// heap is a 4-ary heap: the children of i are 4i+1 to 4i+4. With four children
// rather than two it is half as deep, and the children that a step down
// compares lie beside each other in memory. Times are kept in the entries, so that
// no comparison follows a pointer.
//
// Invariant: entries[i].timer.Slot == i+1, and Slot is 0 outside the heap.
type heap []entry

type entry struct {
	when  int64
	seq   uint64
	timer *schedulers.Timer
}

func (e *entry) before(f *entry) bool {
	if e.when != f.when {
		return e.when < f.when
	}
	return e.seq < f.seq
}

const (
	arity    = 4
	smallest = 64 // entries for which memory is kept
)

func (h *heap) push(e entry) {
	*h = append(*h, e)
	h.up(len(*h)-1, e)
}

// remove takes out the entry at index i and returns its timer.
func (h *heap) remove(i int) *schedulers.Timer {
	s := *h
	t := s[i].timer
	t.Slot = 0
	n := len(s) - 1
	last := s[n]
	s[n] = entry{}
	*h = s[:n]
	if i < n {
		if i > 0 && last.before(&s[(i-1)/arity]) {
			h.up(i, last)
		} else {
			h.down(i, last)
		}
	}
	h.shrink()
	return t
}

// up puts e where it belongs on the way from index i to the root.
func (h *heap) up(i int, e entry) {
	s := *h
	for i > 0 {
		parent := (i - 1) / arity
		if !e.before(&s[parent]) {
			break
		}
		s.set(i, s[parent])
		i = parent
	}
	s.set(i, e)
}

// down puts e where it belongs on the way from index i to the leaves.
func (h *heap) down(i int, e entry) {
	s := *h
	for {
		first := arity*i + 1
		if first >= len(s) {
			break
		}
		least := first
		for c := first + 1; c < min(first+arity, len(s)); c++ {
			if s[c].before(&s[least]) {
				least = c
			}
		}
		if !s[least].before(&e) {
			break
		}
		s.set(i, s[least])
		i = least
	}
	s.set(i, e)
}

func (h heap) set(i int, e entry) {
	h[i] = e
	e.timer.Slot = i + 1
}

// shrink gives memory back after a crowd of timers has left. A quarter, not a half:
// else a heap at the edge would be copied at every step.
func (h *heap) shrink() {
	s := *h
	if cap(s) <= smallest || len(s) > cap(s)/4 {
		return
	}
	smaller := make(heap, len(s), max(smallest, cap(s)/2))
	copy(smaller, s)
	*h = smaller
}
