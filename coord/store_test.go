package coord

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestARingIsAQueueWhereverItsHeadIs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var (
		r    ring[int]
		want []int
	)
	for step := range 20_000 {
		// Mostly up and then mostly down, so that the ring grows and shrinks while it
		// wraps around.
		if up := step%4000 < 2000; len(want) == 0 || (random.IntN(10) < 7) == up {
			r.push(step)
			want = append(want, step)
		} else {
			require.Equal(t, want[0], r.pop())
			want = want[1:]
		}
		require.Equal(t, len(want), r.len())
		if n := len(want); n > 0 {
			i := random.IntN(n)
			require.Equal(t, want[i], *r.at(i))
		}
	}
}

func TestARingGivesBackWhatItDoesNotNeed(t *testing.T) {
	var r ring[*int]
	for range 1000 {
		r.push(new(int))
	}
	for range 999 {
		r.pop()
	}
	assert.LessOrEqual(t, len(r.buf), minRing)
	r.pop()
	for _, p := range r.buf {
		assert.Nil(t, p, "what was taken out is not kept alive")
	}
}

func TestAHeapIsASortThatKeepsOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	type element struct{ rank, sent int }
	var (
		h    ranks[element]
		want []element
	)
	for step := range 5000 {
		if up := step%1000 < 500; len(want) == 0 || (random.IntN(10) < 7) == up {
			e := element{random.IntN(10) - 5, step}
			h.push(e, int64(e.rank))
			want = append(want, e)
			slices.SortStableFunc(want, func(a, b element) int { return a.rank - b.rank })
		} else {
			require.Equal(t, want[0], h.pop())
			want = want[1:]
		}
		require.Equal(t, len(want), h.Len())
	}
}
