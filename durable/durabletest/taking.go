package durabletest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/stores"
)

// When an instance is due, and who gets it.

func dueByMessage(t *testing.T, s stores.Store) {
	r := record("a")
	write(t, s, r)
	assert.Empty(t, take(t, s, timeAt(20)), "it waits for a message alone")
	sendTo(t, s, "a", "m", "")
	assert.Equal(t, []string{"a"}, take(t, s, timeAt(20)))
}

func dueAtTime(t *testing.T, s stores.Store) {
	r := record("a")
	r.Due = timeAt(100)
	write(t, s, r)
	other := record("b")
	other.Function, other.Due = "other", timeAt(50)
	write(t, s, other)
	due, next, err := s.Take(t.Context(), stores.Taking{Now: timeAt(99), Hide: time.Second, Functions: []string{"f"}, Limit: 10})
	require.NoError(t, err)
	assert.Empty(t, due)
	if !next.IsZero() {
		assert.True(t, timeAt(100).Equal(next), "the next is due at %v", next)
	}
	assert.Equal(t, []string{"a"}, take(t, s, timeAt(100)))
}

func farAway(t *testing.T, s stores.Store) {
	end := time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	r := record("late")
	r.Due = end
	write(t, s, r)
	got, err := s.Load(t.Context(), "late")
	require.NoError(t, err)
	assert.Greater(t, got.Due.Year(), 2200)
	due, next, err := s.Take(t.Context(), stores.Taking{Now: timeAt(10), Hide: time.Second, Functions: []string{"f"}, Limit: 9})
	require.NoError(t, err)
	assert.Empty(t, due)
	assert.Greater(t, next.Year(), 2200)

	owned := record("owned")
	owned.Owner = "w"
	require.NoError(t, s.Lease(t.Context(), "w", end))
	write(t, s, owned)
	assert.Empty(t, take(t, s, timeAt(10)))
	until, err := s.Leased(t.Context(), "w")
	require.NoError(t, err)
	assert.Greater(t, until.Year(), 2200)
}

func dueForStep(t *testing.T, s stores.Store) {
	for _, step := range []string{"", "x", "y"} {
		r := record("at " + step)
		r.Step, r.Due = step, timeAt(5)
		write(t, s, r)
		r = record("owned at " + step)
		r.Step, r.Owner = step, "dead"
		write(t, s, r)
	}
	take := func(steps []string) []string {
		due, _, err := s.Take(t.Context(), stores.Taking{Now: timeAt(5), Hide: time.Second, Functions: []string{"f"}, Steps: steps, Limit: 100})
		require.NoError(t, err)
		return ids(due)
	}
	assert.ElementsMatch(t, []string{"at x", "owned at x", "at ", "owned at "}, take([]string{"x", "z"}))
	due, next, err := s.Take(t.Context(), stores.Taking{Now: timeAt(5), Hide: time.Second, Functions: []string{"f"}, Steps: []string{}, Limit: 100})
	require.NoError(t, err)
	assert.Empty(t, due, "they are hidden, and the others are not for it")
	assert.False(t, next.IsZero())
	assert.ElementsMatch(t, []string{"at y", "owned at y"}, take(nil))
}

func dueForLayout(t *testing.T, s stores.Store) {
	for _, layout := range []string{"", "old", "new"} {
		r := record("due " + layout)
		r.Layout, r.Due = layout, timeAt(5)
		write(t, s, r)
		r = record("owned " + layout)
		r.Layout, r.Owner = layout, "dead"
		write(t, s, r)
	}
	later := record("later")
	later.Layout, later.Due = "new", timeAt(500)
	write(t, s, later)
	taking := func(layouts ...string) stores.Taking {
		return stores.Taking{Now: timeAt(5), Hide: time.Second, Functions: []string{"f"}, Layouts: layouts, Limit: 100}
	}
	foreign := func(t2 stores.Taking) int {
		n, err := s.Foreign(t.Context(), t2)
		require.NoError(t, err)
		return n
	}
	assert.Equal(t, 2, foreign(taking("old", "older")))
	assert.Equal(t, 4, foreign(taking("older")))
	one := taking("older")
	one.Limit = 1
	assert.Equal(t, 1, foreign(one), "the limit")
	assert.Zero(t, foreign(taking()), "nil: it knows all")
	other := taking("old")
	other.Functions = []string{"g"}
	assert.Zero(t, foreign(other), "it does not serve the function")

	due, _, err := s.Take(t.Context(), taking("old", "older"))
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"due ", "owned ", "due old", "owned old"}, ids(due))
	for _, d := range due {
		if d.ID == "due old" {
			assert.Equal(t, "old", d.Layout)
			d.Layout, d.Due = "new", timeAt(5)
			write(t, s, d.Record)
		}
	}
	due, _, err = s.Take(t.Context(), taking("new"))
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"due old", "due new", "owned new"}, ids(due), "they were not hidden, and one has changed")
	late := taking("new")
	late.Now = timeAt(500)
	due, _, err = s.Take(t.Context(), late)
	require.NoError(t, err)
	assert.Contains(t, ids(due), "later")
}

// countedTakings lets takers die. A store may count a taking less.
func countedTakings(t *testing.T, s stores.Store) {
	for _, id := range []string{"a", "b"} {
		r := record(id)
		r.Due = timeAt(5)
		write(t, s, r)
	}
	require.NoError(t, s.Lease(t.Context(), "here", timeAt(10_000)))
	require.NoError(t, s.Lease(t.Context(), "elsewhere", timeAt(10_000)))
	lost := map[string]int{}
	var last stores.Taken
	for n := range 5 {
		due, _, err := s.Take(t.Context(), stores.Taking{Now: timeAt(10 + 20*n), Hide: 10 * time.Second, Functions: []string{"f"}, Limit: 100})
		require.NoError(t, err)
		for _, d := range due {
			assert.GreaterOrEqual(t, d.Lost, lost[d.ID])
			assert.LessOrEqual(t, d.Lost, n)
			if lost[d.ID] = d.Lost; d.ID == "a" {
				last = d
			}
		}
	}
	assert.GreaterOrEqual(t, lost["a"], 3)
	assert.GreaterOrEqual(t, lost["b"], 3)
	r, err := s.Load(t.Context(), "a")
	require.NoError(t, err)
	assert.Empty(t, differences(r, last.Record))
	write(t, s, last.Record)
	sendTo(t, s, "b", "m", "")
	due, _, err := s.Take(t.Context(), stores.Taking{Now: timeAt(200), Hide: time.Second, Functions: []string{"f"}, Limit: 100})
	require.NoError(t, err)
	require.Len(t, due, 2)
	for _, d := range due {
		assert.Equal(t, d.ID == "a", d.Lost == 0, "a write begins the count again, a message does not: %s %d", d.ID, d.Lost)
	}
}

func hidden(t *testing.T, s stores.Store) {
	r := record("a")
	r.Due = timeAt(10)
	write(t, s, r)
	assert.Equal(t, []string{"a"}, take(t, s, timeAt(20)))
	assert.Empty(t, take(t, s, timeAt(29)))
	assert.Equal(t, []string{"a"}, take(t, s, timeAt(30)), "its taker has not claimed it")
	got, err := s.Load(t.Context(), "a")
	require.NoError(t, err)
	assert.EqualValues(t, 1, got.Version, "taking does not write the record")
	assert.True(t, timeAt(10).Equal(got.Due))
}

// takenWhole checks that a worker can rely on what it has taken: it reads neither the record nor
// the inbox again.
func takenWhole(t *testing.T, s stores.Store) {
	for _, id := range []string{"mail", "read", "unread", "dropped", "owned"} {
		r := record(id)
		r.Function, r.Step, r.Due = "g", "shop.charge", timeAt(5)
		if id == "owned" {
			r.Owner, r.Epoch, r.Status = "dead", 4, durable.Running
		}
		write(t, s, r)
		if id == "mail" || id == "owned" {
			continue
		}
		sendTo(t, s, id, "m", "")
		sendTo(t, s, id, "m", "")
		if r.Seen, r.Floor = 2, 1; id == "dropped" {
			r.Floor = 2
		}
		write(t, s, r)
	}
	sendTo(t, s, "mail", "m", "")
	sendTo(t, s, "unread", "m", "")
	due, _, err := s.Take(t.Context(), stores.Taking{Now: timeAt(5), Hide: time.Second, Functions: []string{"f", "g"}, Limit: 100})
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"mail", "read", "unread", "dropped", "owned"}, ids(due))
	for _, d := range due {
		r, err := s.Load(t.Context(), d.ID)
		require.NoError(t, err)
		assert.Empty(t, differences(r, d.Record))
		assert.Equal(t, d.ID != "dropped" && d.ID != "owned", d.Mail, "the mail of %q", d.ID)
		d.State[0], d.Labels["tenant"] = 'X', "b"
		again, err := s.Load(t.Context(), d.ID)
		require.NoError(t, err)
		assert.Empty(t, differences(r, again), "what Take returns belongs to its caller")
		write(t, s, d.Record)
	}
}

func oneTaker(t *testing.T, s stores.Store) {
	const n = 40
	for i := range n {
		r := record(fmt.Sprint("i", i))
		r.Due = timeAt(1)
		write(t, s, r)
	}
	var mu sync.Mutex
	count := map[string]int{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range n {
				due, _, err := s.Take(t.Context(), stores.Taking{Now: timeAt(20), Hide: time.Hour, Functions: []string{"f"}, Limit: 3})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for _, d := range due {
					count[d.ID]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	assert.Len(t, count, n)
	for id, times := range count {
		assert.Equal(t, 1, times, id)
	}
}

func limited(t *testing.T, s stores.Store) {
	for i, due := range []int{30, 10, 20} {
		r := record(fmt.Sprint("i", i))
		r.Due = timeAt(due)
		write(t, s, r)
	}
	due, _, err := s.Take(t.Context(), stores.Taking{Now: timeAt(40), Hide: time.Hour, Functions: []string{"f"}, Limit: 2})
	require.NoError(t, err)
	assert.Equal(t, []string{"i1", "i2"}, ids(due))
	assert.Equal(t, []string{"i0"}, take(t, s, timeAt(40)))
}

func expired(t *testing.T, s stores.Store) {
	r := record("a")
	r.Owner, r.Status = "w", durable.Running
	write(t, s, r)
	require.NoError(t, s.Lease(t.Context(), "w", timeAt(100)))
	until, err := s.Leased(t.Context(), "w")
	require.NoError(t, err)
	assert.True(t, timeAt(100).Equal(until))
	assert.Empty(t, take(t, s, timeAt(99)))
	assert.Equal(t, []string{"a"}, take(t, s, timeAt(101)))
	assert.Empty(t, take(t, s, timeAt(105)), "it is hidden")
	require.NoError(t, s.Lease(t.Context(), "w", timeAt(300)))
	assert.Empty(t, take(t, s, timeAt(200)), "the worker lives again")
}

func notDue(t *testing.T, s stores.Store) {
	for _, status := range []durable.Status{durable.Completed, durable.Failed, durable.Canceled, durable.Terminated, durable.Stuck} {
		r := record(string(status))
		write(t, s, r)
		sendTo(t, s, r.ID, "m", "")
		r.Status = status
		write(t, s, r)
	}
	assert.Empty(t, take(t, s, timeAt(1000)))
	sendTo(t, s, string(durable.Stuck), "m", "")
	assert.Empty(t, take(t, s, timeAt(1000)), "a message does not free what is stuck")
	r, err := s.Load(t.Context(), string(durable.Completed))
	require.NoError(t, err)
	r.Due = timeAt(20)
	write(t, s, r)
	assert.Empty(t, take(t, s, timeAt(19)))
	assert.Equal(t, []string{r.ID}, take(t, s, timeAt(20)), "what has ended is due at its time: it has something to send")
}
