package parallel

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// modelOffer is an element of the model of offers.
type modelOffer struct {
	fork   anyFork
	ticket uint64
}

// Offers behave like a plain list of forks and tickets, over random histories.
func TestOffersAreAListOfTickets(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 2))
		o, by := &offers{}, &Worker{}
		var model []modelOffer
		for range 500 {
			switch r.IntN(5) {
			case 0, 1:
				f := &fork[int, int]{}
				o.mu.Lock()
				ticket := o.add(f)
				o.mu.Unlock()
				for _, m := range model {
					require.Greater(t, ticket, m.ticket)
				}
				model = append(model, modelOffer{f, ticket})
			case 2:
				if len(model) == 0 {
					continue
				}
				i := r.IntN(len(model))
				m := model[i]
				require.True(t, o.withdraw(m.ticket, m.fork, 0))
				require.False(t, o.withdraw(m.ticket, m.fork, 0), "only once")
				model = slices.Delete(model, i, i+1)
			case 3:
				model = takeFirst(t, o.takeOldest(by), model, 0)
			case 4:
				h := &header{since: uint64(r.IntN(int(o.tail) + 2))}
				i := slices.IndexFunc(model, func(m modelOffer) bool { return m.ticket >= h.since })
				require.Equal(t, i >= 0, o.hasSince(h))
				model = takeFirst(t, o.takeSince(h, by), model, i)
			}
			require.EqualValues(t, len(model), o.count.Load())
		}
	}
}

func takeFirst(t *testing.T, got anyFork, model []modelOffer, i int) []modelOffer {
	t.Helper()
	if i < 0 || len(model) == 0 {
		require.Nil(t, got)
		return model
	}
	require.Same(t, model[i].fork, got)
	return slices.Delete(model, i, i+1)
}

func TestNothingDescendsFromAForkThatHasEnded(t *testing.T) {
	o, h := &offers{}, &header{}
	o.add(&fork[int, int]{})
	h.finish()
	assert.False(t, o.hasSince(h))
	assert.Nil(t, o.takeSince(h, &Worker{}))
}

func TestTicketsBelowTheFloorAreNotUsedAgain(t *testing.T) {
	o := &offers{}
	var forks [4]*fork[int, int]
	for i := range forks {
		forks[i] = &fork[int, int]{}
		o.add(forks[i])
	}
	require.True(t, o.withdraw(3, forks[3], 3))
	require.True(t, o.withdraw(2, forks[2], 3))
	assert.EqualValues(t, 3, o.add(forks[2]), "2 was below the floor")
}

func TestEachBlockIsClaimedOnceByWorkersThatStealFromEachOther(t *testing.T) {
	for _, count := range []uint32{1, 2, 5, 100, 10_000} {
		const members = 8
		s := newSpans(count, members)
		claimed := make([]atomic.Int32, count)
		var all sync.WaitGroup
		for range members + 1 { // one too many
			all.Go(func() {
				part := s.join()
				for lo, hi := part.claim(); lo < hi; lo, hi = part.claim() {
					for i := lo; i < hi; i++ {
						claimed[i].Add(1)
					}
				}
			})
		}
		all.Wait()
		assert.False(t, s.hasMore())
		for i := range claimed {
			require.EqualValues(t, 1, claimed[i].Load(), i)
		}
	}
}

func TestABiteLeavesMostToOthersAndAThiefTakesTheFarHalf(t *testing.T) {
	s := newSpans(160, 3)
	first, second := s.join(), s.join()
	lo, hi := first.claim()
	assert.Equal(t, []uint32{0, 10}, []uint32{lo, hi})
	lo, hi = second.claim()
	assert.Equal(t, []uint32{85, 89}, []uint32{lo, hi}, "a bite of what it stole: 85 to 160")
	lo, hi = unpack(s.all[0].ends.Load())
	assert.Equal(t, []uint32{10, 85}, []uint32{lo, hi})
}
