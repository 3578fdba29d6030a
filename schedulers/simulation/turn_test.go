package simulation_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/simulation"
)

// interleaved runs f on s, and next to it work that notes the steps between which it came. Each
// choice is that of the oldest turn.
func interleaved(t *testing.T, on func(*simulation.Scheduler) schedulers.Scheduler, f func(note func(string))) []string {
	t.Helper()
	s := simulation.Replay(nil)
	var notes []string
	note := func(what string) { notes = append(notes, what) }
	submit(t, on(s), "plain", func(schedulers.Worker) { f(note) })
	for range 3 {
		submit(t, s, "other", func(schedulers.Worker) { note("other") })
	}
	require.NoError(t, s.Run())
	return notes
}

func itself(s *simulation.Scheduler) schedulers.Scheduler { return s }

func TestAPlainFunctionTakesTurnsInASearch(t *testing.T) {
	none := context.Background()
	locks := func(note func(string)) {
		var m coord.Mutex
		note("before")
		assert.NoError(t, m.Lock(none))
		note("held")
		m.Unlock()
	}
	assert.Equal(t, []string{"before", "held", "other", "other", "other"}, interleaved(t, itself, locks), "without a search")

	defer budget.EveryAwait()()
	assert.Equal(t, []string{"before", "other", "other", "other", "held"}, interleaved(t, itself, locks))
	above := func(s *simulation.Scheduler) schedulers.Scheduler { return limited.New(s, 1) }
	assert.Equal(t, []string{"before", "other", "other", "other", "held"}, interleaved(t, above, locks))

	locks(func(string) {}) // this goroutine is none of a simulation's
}

func TestAPlainFunctionTakesTwoTurnsForALock(t *testing.T) {
	defer budget.EveryAwait()()
	none := context.Background()
	var m coord.Mutex
	s := simulation.Replay(nil)
	var free []bool
	submit(t, s, "plain", func(schedulers.Worker) {
		assert.NoError(t, m.Lock(none))
		m.Unlock()
		_, err := job.FromResult(1).Wait(none)
		assert.NoError(t, err)
		_, err = job.FromResult(1).Await()
		assert.NoError(t, err)
	})
	for s.Step() {
		if free = append(free, m.TryLock()); free[len(free)-1] {
			m.Unlock()
		}
	}
	assert.Equal(t, []bool{true, false, true, true, true}, free, "before, held, before each wait, after")
}
