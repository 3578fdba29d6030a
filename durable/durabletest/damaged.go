package durabletest

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/stores"
)

var damagedRows = flag.Int("durabletest.damaged", 200, "the number of instances that Damaged damages")

// Damaged damages instances and their messages at random, and checks that no other instance is
// harmed: each is listed, taken, read, written and purged. It calls damage for an instance with
// two messages, which changes one part of what is stored: any column of the row, of a message, or
// any byte of an entry. What damage returns describes the change. The flag -durabletest.damaged
// is the number of instances; the figures are with 10000. Damaged stops the test if s is not
// empty.
func Damaged(t *testing.T, s stores.Store, damage func(random *rand.Rand, id string) string) {
	const seed = 1
	random := rand.New(rand.NewPCG(seed, seed))
	whole, changes := map[string]bool{}, map[string]string{}
	for n := range 2 * *damagedRows {
		id := fmt.Sprintf("%06d", n)
		r := record(id)
		r.Due = timeAt(5)
		if n%8 > 5 {
			r.Owner, r.Due = "gone", time.Time{}
		}
		write(t, s, r)
		sendTo(t, s, id, "first", "key")
		sendTo(t, s, id, "second", "")
		if n%2 == 0 {
			whole[id] = true
		}
	}
	for n := 1; n < 2**damagedRows; n += 2 {
		id := fmt.Sprintf("%06d", n)
		changes[id] = damage(random, id)
	}
	assert.Empty(t, missing(whole, listed(t, s)), "not in the list")
	taken := takenInTime(t, s, len(changes))
	assert.Empty(t, missing(whole, taken), "not taken")
	for id := range whole {
		list, err := s.Inbox(t.Context(), id, 0)
		require.NoError(t, err)
		require.Len(t, list, 2)
		r, err := s.Load(t.Context(), id)
		require.NoError(t, err)
		r.Owner, r.Due, r.Status, r.Seen, r.Floor = "", time.Time{}, durable.Completed, 2, 2
		write(t, s, r)
	}
	for range 2 + 2**damagedRows/100 {
		_, err := s.Purge(t.Context(), timeAt(1000), 100)
		require.NoError(t, err)
	}
	left := listed(t, s)
	for id := range whole {
		assert.False(t, left[id], "%s is not purged", id)
	}
	t.Logf("%d damaged, of which %d were taken; %d others, none harmed", len(changes), len(taken)-len(whole), len(whole))
}

// takenInTime takes as long as undamaged instances are due, with a limit below the number of
// damaged ones.
func takenInTime(t *testing.T, s stores.Store, damaged int) map[string]bool {
	found, quiet := map[string]bool{}, 0
	for turns := 0; quiet < 2+damaged/64; turns++ {
		due, _, err := s.Take(t.Context(), stores.Taking{Now: timeAt(10), Hide: time.Hour, Functions: []string{"f"}, Limit: 64})
		require.NoError(t, err)
		if quiet++; len(due) > 0 {
			quiet = 0
		}
		for _, d := range due {
			assert.False(t, found[d.ID], "%s is taken twice", d.ID)
			found[d.ID] = true
		}
	}
	return found
}

// listed returns the ids of all instances that are listed.
func listed(t *testing.T, s stores.Store) map[string]bool {
	found := map[string]bool{}
	for after := ""; ; {
		page, err := s.List(t.Context(), durable.Filter{After: after, Limit: 1000})
		require.NoError(t, err)
		for _, r := range page {
			found[r.ID], after = true, r.ID
		}
		if len(page) < 1000 {
			return found
		}
	}
}

// missing returns the ids that were not found.
func missing(want, found map[string]bool) (list []string) {
	for id := range want {
		if !found[id] {
			list = append(list, id)
		}
	}
	return list
}
