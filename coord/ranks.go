package coord

import "github.com/movenext/movenext/internal/heap"

// ranks is a queue of elements: the lowest rank is taken out first, and among equal ranks
// the oldest. The zero ranks is empty.
type ranks[T any] struct {
	heap.Heap[ranked[T]]
	sent uint64 // elements pushed so far; orders those of one rank
}

type ranked[T any] struct {
	value T
	rank  int64
	order uint64
}

// Before implements [heap.Element].
func (a ranked[T]) Before(b ranked[T]) bool {
	if a.rank != b.rank {
		return a.rank < b.rank
	}
	return a.order < b.order
}

// Moved implements [heap.Element]: an element is never taken out of the middle.
func (a ranked[T]) Moved(int) {}

func (r *ranks[T]) push(v T, rank int64) {
	r.Push(ranked[T]{v, rank, r.sent})
	r.sent++
}

// pop takes out the first; there is one.
func (r *ranks[T]) pop() T { return r.Pop().value }
