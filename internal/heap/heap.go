// Package heap implements a binary heap whose elements know their positions, so that an
// element can be removed from the middle, or moved when its rank has changed.
//
// It is a typed version of container/heap: no element is boxed, and a heap that has become
// short releases its memory. Package timers has a heap of its own, with four children per
// node and in chunks, since there may be millions of timers.
package heap

// Element is the type of the elements of a [Heap].
type Element[E any] interface {
	// Before reports whether the element is removed before other. It is a strict order;
	// the order of equal elements is unspecified.
	Before(other E) bool

	// Moved passes the element its position, for Fix and Remove; -1: it was removed.
	Moved(index int)
}

// Heap holds elements. The zero Heap is empty. It is not safe for concurrent use.
type Heap[E Element[E]] struct{ all []E }

// smallest is the capacity that a heap keeps.
const smallest = 64

// Len returns the number of elements.
func (h *Heap[E]) Len() int { return len(h.all) }

// First returns the element that is removed next; the heap must not be empty.
func (h *Heap[E]) First() E { return h.all[0] }

// All returns all elements, in no particular order. The slice belongs to the heap, and is
// valid until the next call.
func (h *Heap[E]) All() []E { return h.all }

// Push adds e.
func (h *Heap[E]) Push(e E) {
	h.all = append(h.all, e)
	h.up(len(h.all)-1, e)
}

// Pop removes and returns the first element; the heap must not be empty.
func (h *Heap[E]) Pop() E { return h.Remove(0) }

// Remove removes and returns the element at the given index.
func (h *Heap[E]) Remove(index int) E {
	var none E
	e := h.all[index]
	last := len(h.all) - 1
	moved := h.all[last]
	h.all[last] = none // a removed element must not be kept alive
	h.all = h.all[:last]
	if index < last {
		h.put(index, moved)
	}
	// The limit is a quarter, not a half, so that a heap whose length oscillates around one
	// value does not reallocate each time.
	if cap(h.all) > smallest && last <= cap(h.all)/4 {
		h.all = append(make([]E, 0, cap(h.all)/2), h.all...)
	}
	e.Moved(-1)
	return e
}

// Fix restores the order after the rank of the element at the given index has changed.
func (h *Heap[E]) Fix(index int) { h.put(index, h.all[index]) }

// put moves e, starting at index, up or down to the position where it belongs.
func (h *Heap[E]) put(index int, e E) {
	if index > 0 && e.Before(h.all[(index-1)/2]) {
		h.up(index, e)
	} else {
		h.down(index, e)
	}
}

// up puts e into its position on the path from index to the root.
func (h *Heap[E]) up(index int, e E) {
	for index > 0 {
		parent := (index - 1) / 2
		if !e.Before(h.all[parent]) {
			break
		}
		h.set(index, h.all[parent])
		index = parent
	}
	h.set(index, e)
}

// down puts e into its position on the path from index to the leaves.
func (h *Heap[E]) down(index int, e E) {
	for {
		child := 2*index + 1
		if child >= len(h.all) {
			break
		}
		if other := child + 1; other < len(h.all) && h.all[other].Before(h.all[child]) {
			child = other
		}
		if !h.all[child].Before(e) {
			break
		}
		h.set(index, h.all[child])
		index = child
	}
	h.set(index, e)
}

func (h *Heap[E]) set(index int, e E) {
	h.all[index] = e
	e.Moved(index)
}
