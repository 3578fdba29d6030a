package heap_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/heap"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type ranked struct{ rank, at int }

// Before implements heap.Element.
func (r *ranked) Before(other *ranked) bool { return r.rank < other.rank }

// Moved implements heap.Element.
func (r *ranked) Moved(at int) { r.at = at }

// The test compares the heap with a slice after each of many random operations.
func TestTheHeapDoesAsASliceDoes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var h heap.Heap[*ranked]
	steps := 20_000
	if testing.Short() {
		steps = 4_000 // the heap has grown and shrunk
	}
	for i := range steps {
		n := h.Len()
		switch step := random.IntN(10); {
		case n == 0 || step < 5 && i%4000 < 2000: // the heap grows and shrinks in turn
			h.Push(&ranked{rank: random.IntN(100)})
		case step < 7:
			least := slices.MinFunc(h.All(), func(a, b *ranked) int { return cmp.Compare(a.rank, b.rank) })
			require.Equal(t, least.rank, h.First().rank)
			require.Equal(t, least.rank, h.Pop().rank)
		case step < 9:
			e := h.All()[random.IntN(n)]
			require.Same(t, e, h.Remove(e.at))
			require.Equal(t, -1, e.at)
		default:
			e := h.All()[random.IntN(n)]
			e.rank = random.IntN(100)
			h.Fix(e.at)
		}
		for at, e := range h.All() {
			require.Equal(t, at, e.at)
			require.False(t, at > 0 && e.Before(h.All()[(at-1)/2]))
		}
	}
}

func TestALongHeapReleasesItsMemory(t *testing.T) {
	var h heap.Heap[*ranked]
	for i := range 10_000 {
		h.Push(&ranked{rank: i})
	}
	for i := range 10_000 {
		require.Equal(t, i, h.Pop().rank)
	}
	all := h.All()
	assert.LessOrEqual(t, cap(all), 64)
	for _, e := range all[:cap(all)] {
		assert.Nil(t, e)
	}
}

func ExampleHeap() {
	var h heap.Heap[*ranked]
	urgent := &ranked{rank: 9}
	h.Push(&ranked{rank: 5})
	h.Push(urgent)
	urgent.rank = 1
	h.Fix(urgent.at)
	for h.Len() > 0 {
		fmt.Println(h.Pop().rank)
	}
	// Output:
	// 1
	// 5
}
