package simulation

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
)

// A seed means the same schedule in each version.
func TestASourceReturnsTheNumbersOfItsGenerator(t *testing.T) {
	s, random := newSource(7), rand.NewPCG(7, 0)
	for range 100 {
		third := s.peek(2)
		require.Equal(t, random.Uint64(), s.Uint64())
		require.Equal(t, third, s.peek(1))
	}
}

func TestAGuessIsTheNumberOfRand(t *testing.T) {
	s := newSource(7)
	random := rand.New(s)
	for n := 4099; n < 5000; n++ {
		guess := among(n, s.peek(0))
		require.Equal(t, guess, random.IntN(n))
	}
}

// touched is a work item that counts how often it was touched, or a sleeper.
type touched struct{ times int }

func (c *touched) Touch() bool            { c.times++; return true }
func (*touched) Run(schedulers.Worker)    {}
func (*touched) Abandon(error)            {}
func (*touched) Expire(*schedulers.Timer) {}
func (*touched) ExpiryOnlySubmits()       {}

// crowded are the turns of a crowd, and the lookahead and random numbers of their choices.
type crowded struct {
	turns turns
	model []*touched
	ahead lookahead
	from  *source
	rand  *rand.Rand
	sure  int // choices that had been guessed
}

func newCrowd(n int) *crowded {
	c := &crowded{from: newSource(1)}
	c.rand = rand.New(c.from)
	for range n {
		c.add()
	}
	return c
}

func (c *crowded) add() {
	w := new(touched)
	c.turns.add(turn{what: w})
	c.model = append(c.model, w)
}

// choose takes a turn at random, as a scheduler does.
func (c *crowded) choose(t *testing.T) *touched {
	t.Helper()
	n := c.turns.len()
	k := c.rand.IntN(n)
	at := c.ahead.find(&c.turns, k)
	if c.ahead.sure {
		c.sure++
	}
	got := c.turns.remove(at).what.(*touched)
	require.Same(t, c.model[k], got)
	c.model = slices.Delete(c.model, k, k+1)
	c.ahead.look(&c.turns, c.from, n)
	return got
}

func TestACrowdThatEndsIsTouchedAhead(t *testing.T) {
	c := newCrowd(3 * crowd)
	ready := 0
	for c.turns.len() >= crowd+ahead {
		if c.choose(t).times > 0 {
			ready++
		}
	}
	assert.Greater(t, c.sure, 2*crowd*9/10, "the choices were guessed")
	assert.GreaterOrEqual(t, ready, c.sure, "and touched")
}

func TestACrowdThatYieldsIsTouchedAhead(t *testing.T) {
	c := newCrowd(crowd + crowd/2)
	for range crowd / 4 {
		c.choose(t)
		c.add()
	}
	assert.Greater(t, c.sure, crowd/4*9/10)
}

// Whatever happens between two choices, each takes the turn of its number.
func TestAGuessThatFailsChangesNothing(t *testing.T) {
	c := newCrowd(2 * crowd)
	other := rand.New(rand.NewPCG(3, 4))
	for range 2 * crowd {
		switch k := other.IntN(len(c.model)); other.IntN(12) {
		case 0:
			c.add()
		case 1:
			c.turns.remove(c.turns.find(k))
			c.model = slices.Delete(c.model, k, k+1)
		case 2:
			if other.IntN(50) == 0 {
				c.turns.pack()
			}
		case 3:
			c.rand.Uint64()
		}
		if c.choose(t); c.turns.len() < crowd+ahead {
			for range crowd {
				c.add()
			}
		}
	}
	assert.Greater(t, c.sure, crowd/2)
}

func TestFewTurnsAreNotGuessed(t *testing.T) {
	c := newCrowd(crowd - 1)
	for c.turns.len() > 0 {
		require.Zero(t, c.choose(t).times)
	}
	assert.Zero(t, c.sure)
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

func TestARecordingKeepsAllChoices(t *testing.T) {
	for _, n := range []int{0, 1, 100, chunk, chunk + 1, 3*chunk + 5, 20_000} {
		var r recording
		var all Trace
		for i := range n {
			r.add(Choice{n, i})
			all = append(all, Choice{n, i})
		}
		require.Equal(t, n, r.len())
		require.Equal(t, len(all), len(r.trace()))
		require.True(t, slices.Equal(all, r.trace()))
	}
}
