package deque

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type item int

func (item) Run(schedulers.Worker) {}
func (item) Abandon(error)         {}

func TestAnEmptyDequeHasNothing(t *testing.T) {
	var d Deque
	assert.Nil(t, d.PopFront())
	assert.Nil(t, d.PopBack())
	assert.Zero(t, d.Len())
	assert.Empty(t, d.AppendTo(nil))
}

// TestADequeDoesWhatASliceDoes performs the same random operations on a deque and on a slice,
// with many growths and wrap-arounds.
func TestADequeDoesWhatASliceDoes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	var d Deque
	var model []schedulers.Work
	steps := 200_000
	if testing.Short() {
		steps = 20_000
	}
	for step := range steps {
		switch grow := step/5000%2 == 0; {
		case rnd.IntN(10) < 4 || grow && rnd.IntN(2) == 0:
			d.PushBack(item(step))
			model = append(model, item(step))
		case rnd.IntN(2) == 0:
			var want schedulers.Work
			if len(model) > 0 {
				want, model = model[0], model[1:]
			}
			require.Equal(t, want, d.PopFront())
		default:
			var want schedulers.Work
			if n := len(model); n > 0 {
				want, model = model[n-1], model[:n-1]
			}
			require.Equal(t, want, d.PopBack())
		}
		require.Equal(t, len(model), d.Len())
		if step%1000 == 0 {
			require.Equal(t, append([]schedulers.Work(nil), model...), d.AppendTo(nil))
		}
	}
}

func TestTheBufferOfABurstIsGivenBack(t *testing.T) {
	var d Deque
	for i := range 10 * keep {
		d.PushBack(item(i))
	}
	d.Remove(item(10*keep - 2))
	for d.PopFront() != nil {
	}
	assert.Empty(t, d.buf)
	d.PushBack(item(1))
	d.PushBack(item(2))
	assert.True(t, d.Remove(item(2)), "it looks for no gap in the old buffer")
}

func TestWorkThatWasTakenIsNotKept(t *testing.T) {
	var d Deque
	for i := range 10 {
		d.PushBack(item(i))
	}
	for d.PopBack() != nil {
		d.PopFront()
	}
	for _, w := range d.buf {
		assert.Nil(t, w)
	}
}

func TestRemoveFindsTheOldestAndTheNewestFew(t *testing.T) {
	const n = 40 // more than near, and wrapped around the end of the buffer
	filled := func() *Deque {
		var d Deque
		for range 50 {
			d.PushBack(item(-1))
			d.PopFront()
		}
		for i := range n {
			d.PushBack(item(i))
		}
		return &d
	}
	for i := range n {
		d := filled()
		found := i == 0 || i >= n-near
		require.Equal(t, found, d.Remove(item(i)), "work %d", i)
		var want []schedulers.Work
		for k := range n {
			if k != i || !found {
				want = append(want, item(k))
			}
		}
		require.Equal(t, want, d.AppendTo(nil), "work %d", i)
	}
	var d Deque
	assert.False(t, d.Remove(item(1)))
	d.PushBack(item(1))
	assert.False(t, d.Remove(item(2)))
	assert.True(t, d.Remove(item(1)))
	assert.Zero(t, d.Len())
}

func TestRemoveFindsWorkInOrder(t *testing.T) {
	var d Deque
	for i := range 3 + near {
		d.PushBack(item(i))
	}
	require.True(t, d.Remove(item(3)), "the oldest of the newest few")
	for i := range 3 * near { // the buffer grows
		d.PushBack(item(100 + i))
	}
	require.False(t, d.Remove(item(5)))
	for i := range near - 1 {
		require.True(t, d.Remove(item(4+i)), "work %d", 4+i)
	}
	assert.Equal(t, 3+3*near, d.Len())
}

func TestRemoveTakesOnlyWhatItIsToTake(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		var d Deque
		var model []schedulers.Work
		for next := range 300 {
			switch random.IntN(4) {
			case 0, 1:
				d.PushBack(item(next))
				model = append(model, item(next))
			case 2:
				if len(model) > 0 {
					require.Equal(t, model[0], d.PopFront())
					model = model[1:]
				}
			case 3:
				w := item(random.IntN(next + 1))
				i := slices.Index(model, schedulers.Work(w))
				if d.Remove(w) {
					require.NotEqual(t, -1, i)
					model = slices.Delete(model, i, i+1)
				}
			}
			require.Equal(t, len(model), d.Len())
		}
		require.Equal(t, append([]schedulers.Work{}, model...), append([]schedulers.Work{}, d.AppendTo(nil)...))
	}
}
