package parallel

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

type pair struct{ key, at int }

func byKey(a, b pair) int { return cmp.Compare(a.key, b.key) }

// pairs returns n pairs with keys below most, each with its original index.
func pairs(seed uint64, n, most int) []pair {
	r := rand.New(rand.NewPCG(seed, 3))
	s := make([]pair, n)
	for i := range s {
		s[i] = pair{r.IntN(most), i}
	}
	return s
}

// sizes around the edges at which runs, levels and pieces come to be.
var sizes = []int{0, 1, 2, minRun - 1, 2 * minRun, 2*minRun + 1, 5 * minRun, 9*minRun + 7}

func TestSortedLikeThePlainSort(t *testing.T) {
	onEach(t, func(t *testing.T, ctx context.Context) {
		for _, n := range sizes {
			for _, degree := range []int{1, 3, 8} {
				most := []int{1, 3, 1 << 30}[(n+degree)%3]
				s := pairs(uint64(n), n, most)
				want := slices.Clone(s)
				slices.SortStableFunc(want, byKey)
				stable := slices.Clone(s)
				require.NoError(t, SortStableFunc(ctx, stable, byKey, Degree(degree)))
				require.True(t, slices.Equal(want, stable), "%d elements, degree %d", n, degree)

				require.NoError(t, SortFunc(ctx, s, byKey, Degree(degree)))
				require.True(t, slices.IsSortedFunc(s, byKey), "%d elements, degree %d", n, degree)
				requireSameElements(t, want, s)
			}
		}
	})
}

// requireSameElements checks that s holds each pair of want once.
func requireSameElements(t *testing.T, want, s []pair) {
	t.Helper()
	require.Len(t, s, len(want))
	seen := make([]bool, len(want))
	for _, p := range s {
		if seen[p.at] {
			require.Fail(t, "an element twice")
		}
		seen[p.at] = true
	}
}

func TestSortWithNaNs(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	s := make([]float64, 10*minRun)
	for i := range s {
		s[i] = r.NormFloat64()
		if i%100 == 0 {
			s[i] = math.NaN()
		}
	}
	require.NoError(t, Sort(context.Background(), s, Degree(4)))
	assert.True(t, slices.IsSorted(s))
	assert.True(t, math.IsNaN(s[0]))
}

func TestASortThatEndsEarlyHasLostNothing(t *testing.T) {
	const n = 8 * minRun
	for _, end := range []string{"panic", "exit", "context"} {
		for _, degree := range []int{1, 4} {
			// In the runs, in the search for the pieces' ends, in merges of each level.
			for _, after := range []int64{1, 11 * n, 13 * n, 14 * n, 15 * n} {
				ctx, cancel := context.WithCancel(schedulers.With(context.Background(), each{}))
				s := pairs(uint64(after), n, 1<<30)
				want := slices.Clone(s)
				var calls atomic.Int64
				compare := func(a, b pair) int {
					if calls.Add(1) == after {
						switch end {
						case "panic":
							panic(errBody)
						case "exit":
							runtime.Goexit()
						case "context":
							cancel()
						}
					}
					return byKey(a, b)
				}
				var err error
				_ = exits(func() { err = SortFunc(ctx, s, compare, Degree(degree)) })
				requireSameElements(t, want, s)
				if end == "panic" && calls.Load() >= after {
					var p *job.PanicError
					require.ErrorAs(t, err, &p)
				}
				cancel()
			}
		}
	}
}

func TestAComparisonThatContradictsItselfLosesNothing(t *testing.T) {
	for seed := range uint64(10) {
		s := pairs(seed, 8*minRun, 1<<30)
		want := slices.Clone(s)
		var calls atomic.Uint64
		random := func(pair, pair) int { return int(calls.Add(1)*2654435761>>7%3) - 1 }
		require.NoError(t, SortFunc(context.Background(), s, random, Degree(4)))
		requireSameElements(t, want, s)
	}
}

func TestSortWithBadInput(t *testing.T) {
	s := []int{2, 1}
	assert.ErrorIs(t, SortFunc(context.Background(), s, nil), ErrNilFunc)
	assert.ErrorIs(t, SortStableFunc(context.Background(), s, nil), ErrNilFunc)
	assert.ErrorIs(t, Sort(context.Background(), s, Degree(-1)), ErrOption)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	assert.ErrorIs(t, Sort(ctx, s), context.Canceled)
	assert.Equal(t, []int{2, 1}, s)
	type named []string
	words := named{"b", "a"}
	require.NoError(t, Sort(context.Background(), words))
	assert.Equal(t, named{"a", "b"}, words)
}
