package simulation

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
)

// Random additions, choices and removals, compared with a slice.
func TestTurnsAreThoseOfASlice(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var q turns
		var model []*schedulers.Timer
		marked := map[*schedulers.Timer]bool{}
		for range 2000 {
			if random.IntN(20) == 0 {
				q.mark()
				clear(marked)
				for _, timer := range model {
					marked[timer] = true
				}
			}
			switch n := random.IntN(10); {
			case n < 5 || len(model) == 0:
				timer := new(schedulers.Timer)
				q.add(turn{kind: Expire, what: timer})
				model = append(model, timer)
			case n < 8:
				k := random.IntN(len(model))
				require.Same(t, model[k], q.remove(q.find(k)).what)
				model = slices.Delete(model, k, k+1)
			default:
				k := random.IntN(len(model))
				require.Same(t, model[k], q.remove(-model[k].Slot).what)
				require.Zero(t, model[k].Slot)
				model = slices.Delete(model, k, k+1)
			}
			require.Equal(t, len(model), q.len())
			require.Equal(t, slices.ContainsFunc(model, func(timer *schedulers.Timer) bool { return marked[timer] }), q.markedLeft())
		}
		q.drop(func(turn) bool { return random.IntN(2) == 0 })
		for q.len() > 0 {
			q.remove(q.find(random.IntN(q.len())))
		}
		assert.Empty(t, q.works())
		assert.False(t, q.markedLeft())
	}
}

// The room for turns follows their current number, not their largest.
func TestTurnsGiveTheirRoomBack(t *testing.T) {
	var q turns
	for range 10 {
		q.add(turn{kind: Expire, what: new(schedulers.Timer)})
	}
	for range 100_000 {
		q.remove(q.find(0))
		q.add(turn{kind: Expire, what: new(schedulers.Timer)})
	}
	assert.Less(t, len(q.all), 1000)
}

func TestSelectBitFindsTheKthBit(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		word := random.Uint64() & random.Uint64()
		k := 0
		for i := range 64 {
			if word>>i&1 == 1 {
				require.Equal(t, i, selectBit(word, k), "%b, %d", word, k)
				k++
			}
		}
	}
	assert.Equal(t, 63, selectBit(^uint64(0), 63))
}
