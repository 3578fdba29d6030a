package coord

// heap is a heap of elements: the lowest rank is taken out first, and among equal ranks
// the oldest. The zero heap is empty.
type heap[T any] struct {
	all  []ranked[T]
	sent uint64 // elements pushed so far; orders those of one rank
}

type ranked[T any] struct {
	value T
	rank  int64
	order uint64
}

func (a *ranked[T]) before(b *ranked[T]) bool {
	if a.rank != b.rank {
		return a.rank < b.rank
	}
	return a.order < b.order
}

func (h *heap[T]) len() int { return len(h.all) }

func (h *heap[T]) push(v T, rank int64) {
	h.all = append(h.all, ranked[T]{v, rank, h.sent})
	h.sent++
	for i := len(h.all) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h.all[i].before(&h.all[parent]) {
			return
		}
		h.all[i], h.all[parent] = h.all[parent], h.all[i]
		i = parent
	}
}

// pop takes out the first; h is not empty.
func (h *heap[T]) pop() T {
	last := len(h.all) - 1
	v := h.all[0].value
	h.all[0] = h.all[last]
	h.all[last] = ranked[T]{} // a removed element must not be kept alive
	h.all = h.all[:last]
	h.sink()
	if cap(h.all) > smallestRing && last <= cap(h.all)/4 {
		h.all = append(make([]ranked[T], 0, cap(h.all)/2), h.all...)
	}
	return v
}

// sink moves the element at the top down to its position.
func (h *heap[T]) sink() {
	for i := 0; ; {
		first := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h.all); child++ {
			if h.all[child].before(&h.all[first]) {
				first = child
			}
		}
		if first == i {
			return
		}
		h.all[i], h.all[first] = h.all[first], h.all[i]
		i = first
	}
}
