package parallel

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
)

func TestReduceKeepsTheOrderOfItsItems(t *testing.T) {
	onEach(t, func(t *testing.T, ctx context.Context) {
		letters := strings.Split(strings.Repeat("abcdefghij", 70), "")
		appendOne := func(_ context.Context, acc, item string) (string, error) { return acc + item, nil }
		concat := func(a, b string) string { return a + b } // associative, not commutative
		for _, n := range []int{0, 1, 2, 255, 256, 257, 700} {
			for _, opts := range [][]Option{nil, {Degree(1)}, {Degree(4)}, {Degree(4), Chunk(3)}, {Chunk(1000)}} {
				got, err := Reduce(ctx, letters[:n], "", appendOne, concat, opts...)
				require.NoError(t, err)
				require.Equal(t, strings.Join(letters[:n], ""), got)
			}
		}
	})
}

func TestAFloatSumIsTheSameToTheLastBitOnAnyNumberOfWorkers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	xs := make([]float64, 10_000)
	for i := range xs {
		xs[i] = r.NormFloat64() * 1e10
	}
	add := func(_ context.Context, a, x float64) (float64, error) { return a + x, nil }
	plus := func(a, b float64) float64 { return a + b }
	want, err := Reduce(context.Background(), xs, 0, add, plus, Degree(1))
	require.NoError(t, err)
	for _, degree := range []int{2, 3, 8} {
		for range 5 {
			got, err := Reduce(context.Background(), xs, 0, add, plus, Degree(degree))
			require.NoError(t, err)
			require.Equal(t, want, got) // to the last bit
		}
	}
}

func TestReduceStopsAtTheFirstFailure(t *testing.T) {
	items := ints(1000)
	plus := func(a, b int) int { return a + b }
	for _, degree := range []int{1, 4} {
		_, err := Reduce(context.Background(), items, 0, func(_ context.Context, acc, i int) (int, error) {
			if i == 500 {
				return 0, errBody
			}
			return acc + i, nil
		}, plus, Degree(degree))
		assert.Equal(t, errBody, err)

		_, err = Reduce(context.Background(), items, 0, func(_ context.Context, acc, i int) (int, error) {
			if i == 500 {
				panic("fold")
			}
			return acc + i, nil
		}, plus, Degree(degree))
		var p *job.PanicError
		assert.ErrorAs(t, err, &p)

		ctx, cancel := context.WithCancelCause(context.Background())
		after := 0
		got, err := Reduce(ctx, items, -1, func(body context.Context, acc, i int) (int, error) {
			if body.Err() != nil {
				after++
			}
			cancel(errBody)
			return acc + i, nil
		}, plus, Degree(1))
		assert.ErrorIs(t, err, context.Canceled)
		assert.ErrorIs(t, err, errBody)
		assert.Equal(t, -1, got)
		assert.Zero(t, after)
	}
}

func TestReduceWithBadInput(t *testing.T) {
	fold := func(_ context.Context, a, i int) (int, error) { return a + i, nil }
	plus := func(a, b int) int { return a + b }
	_, err := Reduce(context.Background(), []int{1}, 0, nil, plus)
	assert.ErrorIs(t, err, ErrNilFunc)
	_, err = Reduce(context.Background(), []int{1}, 0, fold, nil)
	assert.ErrorIs(t, err, ErrNilFunc)
	_, err = Reduce(context.Background(), []int{1}, 0, fold, plus, Degree(-1))
	assert.ErrorIs(t, err, ErrOption)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Reduce(ctx, []int{1}, 0, fold, plus)
	assert.True(t, errors.Is(err, context.Canceled))
}
