package shim

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The test compares a queue of tickets with a slice.
func TestATicketQueueIsFirstInFirstOut(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var l TicketQueue
	var model, out []*Ticket
	for range 20_000 {
		switch n := random.IntN(8); {
		case n < 3:
			k := new(Ticket)
			require.True(t, l.Push(k))
			require.False(t, l.Push(k))
			model = append(model, k)
		case n < 5 && len(model) > 0:
			require.Same(t, model[0], l.First())
			require.Same(t, model[0], l.Pop())
			out, model = append(out, model[0]), model[1:]
		case n < 7 && len(model) > 0:
			i := random.IntN(len(model))
			require.True(t, l.Remove(model[i]))
			out, model = append(out, model[i]), slices.Delete(model, i, i+1)
		case len(out) > 0:
			k := out[random.IntN(len(out))]
			require.False(t, l.Remove(k))
			require.False(t, l.Push(k), "a ticket is pushed once")
		}
		require.Equal(t, len(model), l.Len())
		require.Equal(t, model, append([]*Ticket{}, slices.Collect(l.All())...))
	}
	for range model {
		require.NotNil(t, l.Pop())
	}
	assert.Nil(t, l.Pop())
	assert.Nil(t, l.First())
	assert.Zero(t, l)
}

func TestGapsBehindATicketThatStaysAreSwept(t *testing.T) {
	var l TicketQueue
	l.Push(new(Ticket))
	for range 10 * minSweep {
		k := new(Ticket)
		l.Push(k)
		l.Remove(k)
		require.LessOrEqual(t, l.gaps, minSweep+1)
	}
}

func TestATicketThatIsOutKeepsNoOther(t *testing.T) {
	var l TicketQueue
	var out []*Ticket
	var others []weak.Pointer[Ticket]
	push := func(keep bool) {
		k := new(Ticket)
		l.Push(k)
		if keep {
			out = append(out, k)
		} else {
			others = append(others, weak.Make(k))
		}
	}
	for i := range 6 {
		push(i%2 == 0)
	}
	l.Remove(out[1])
	for l.Pop() != nil {
	}
	runtime.GC()
	for _, other := range others {
		assert.Nil(t, other.Value())
	}
	runtime.KeepAlive(out)
}
