package simulation_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/simulation"
)

// sleepers starts three machines on the scheduler of ctx that sleep for a second.
func sleepers(ctx context.Context, log *[]string) []*job.Job[job.Void] {
	var all []*job.Job[job.Void]
	for _, name := range []string{"a", "b", "c"} {
		all = append(all, napAsync(ctx, time.Second, name, log))
	}
	return all
}

// In a trace the choice is that of a machine, though its sleep expires first.
func TestASleeperContinuesInTheTurnInWhichItsSleepExpires(t *testing.T) {
	var events []simulation.Kind
	s := simulation.Replay(simulation.Trace{{Of: 3, Chosen: 1}, {Of: 2, Chosen: 1}},
		simulation.Observe(func(e simulation.Event) { events = append(events, e.Kind) }))
	var log []string
	sleepers(s.Context(context.Background()), &log)
	require.NoError(t, s.Run())
	assert.Equal(t, []string{"b", "c", "a"}, log)
	once := []simulation.Kind{simulation.Expire, simulation.Begin}
	assert.Equal(t, append(append(once, once...), once...), events)
	assert.Len(t, s.Trace(), 2)
}

// All sleeps are over, and one machine has had its turn. Then the scheduler gives up.
func TestAShutdownThatGivesUpWakesSleepers(t *testing.T) {
	s := simulation.Replay(nil)
	ctx := s.Context(context.Background())
	var log []string
	all := sleepers(ctx, &log)
	require.True(t, s.Step())
	require.Equal(t, []string{"a"}, log)
	assert.Empty(t, s.Snapshot(), "a sleeper is not queued")

	ended, cancel := context.WithCancel(context.Background())
	cancel()
	require.NoError(t, s.Shutdown(ended), "nothing that was accepted is left")
	for _, j := range all[1:] {
		<-j.Done()
		assert.ErrorIs(t, j.Err(), schedulers.ErrShutdown)
	}
	assert.Equal(t, []string{"a"}, log)
}

// holdback is a home that holds machines back.
type holdback struct {
	*simulation.Scheduler

	holds bool
	held  []schedulers.Work
}

func (h *holdback) Submit(w schedulers.Work, hint schedulers.Hint) error {
	if !h.holds || hint.Flags&schedulers.Resumed == 0 {
		return h.Scheduler.Submit(w, hint)
	}
	h.held = append(h.held, w)
	return nil
}

func TestASleeperMayBeHeldBackByItsHome(t *testing.T) {
	for seed := range uint64(20) {
		s := simulation.New(seed)
		home := &holdback{Scheduler: s, holds: true}
		var log []string
		all := sleepers(schedulers.With(context.Background(), home), &log)
		after(s, 2*time.Second, func() {
			assert.Empty(t, log)
			home.holds = false
			for _, w := range home.held {
				assert.NoError(t, s.Submit(w, schedulers.Hint{}))
			}
		})
		require.NoError(t, s.Run())
		for _, j := range all {
			require.NoError(t, j.Err())
		}
		require.ElementsMatch(t, []string{"a", "b", "c"}, log)
		require.Len(t, home.held, 3)
	}
}
