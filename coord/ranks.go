package coord

import (
	"math"

	"github.com/movenext/movenext/internal/heap"
)

// ranks is a queue of elements: the lowest rank is taken out first, and among equal ranks
// the oldest. The zero ranks is empty.
type ranks[T any] struct {
	heap.Heap[ranked[T]]
	sent int64 // elements pushed so far; orders those of one rank
	back int64 // elements put back so far
}

type ranked[T any] struct {
	value T
	rank  int64
	order int64
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

// unpop makes v the first. Its rank is not known any more: it was the lowest.
func (r *ranks[T]) unpop(v T) {
	r.back++
	r.Push(ranked[T]{v, math.MinInt64, -r.back})
}

// pop takes out the first; there is one.
func (r *ranks[T]) pop() T { return r.Pop().value }
