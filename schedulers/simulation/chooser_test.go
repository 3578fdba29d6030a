package simulation_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/simulation"
)

// newest always chooses what became possible last.
func newest(turns []simulation.Turn) int { return len(turns) - 1 }

func TestAChooserDecidesAndItsTraceRepeatsThat(t *testing.T) {
	first := simulation.NewWith(newest)
	order := program(t, first)
	again := simulation.Replay(first.Trace())
	assert.Equal(t, order, program(t, again))
	assert.Equal(t, first.Trace(), again.Trace())
	for _, c := range first.Trace() {
		assert.Equal(t, c.Of-1, c.Chosen)
	}
}

// An answer that is not a turn, and a panic, count as the first turn.
func TestAChooserThatFailsChoosesTheOldest(t *testing.T) {
	oldest := program(t, simulation.Replay(nil))
	for name, choose := range map[string]func([]simulation.Turn) int{
		"below":  func([]simulation.Turn) int { return -1 },
		"beyond": func(turns []simulation.Turn) int { return len(turns) },
	} {
		assert.Equal(t, oldest, program(t, simulation.NewWith(choose)), name)
	}
}

func TestAMachineIsOneActorInAllOfItsSteps(t *testing.T) {
	actors := map[uint64]int{}
	seen := map[uint64]bool{}
	s := simulation.NewWith(func(turns []simulation.Turn) int {
		last := uint64(0)
		for _, turn := range turns {
			assert.Equal(t, simulation.Begin, turn.Kind)
			assert.Greater(t, turn.Seq, last, "in the order in which they became possible")
			last = turn.Seq
			if !seen[turn.Seq] {
				seen[turn.Seq] = true
				actors[turn.Actor]++
			}
		}
		return newest(turns)
	})
	ctx := s.Context(context.Background())
	workAsync(ctx, 5)
	workAsync(ctx, 5)
	require.NoError(t, s.Run())
	assert.Equal(t, map[uint64]int{1: 1, 2: 5}, actors, "the first one runs alone at the end")
}

// A choice of the program is part of the trace, and repeated with it.
func TestPicksAreChoices(t *testing.T) {
	pick := func(s *simulation.Scheduler) (picked []int) {
		submit(t, s, "work", func(schedulers.Worker) {
			for n := range 5 {
				picked = append(picked, s.Pick(n))
			}
		})
		require.NoError(t, s.Run())
		return picked
	}
	s := simulation.NewWith(func(turns []simulation.Turn) int {
		assert.Equal(t, simulation.Turn{Kind: simulation.Picked}, turns[0])
		return newest(turns)
	})
	assert.Equal(t, []int{0, 0, 1, 2, 3}, pick(s))
	assert.Equal(t, "1/2 2/3 3/4", s.Trace().String())
	assert.Equal(t, []int{0, 0, 1, 2, 3}, pick(simulation.Replay(s.Trace())))
}

// The interrupt comes at every point of a program with a timer, and at the latest when
// nothing else is possible.
func TestAnInterruptComesAtEveryPoint(t *testing.T) {
	at := map[int]bool{}
	for seed := range uint64(200) {
		steps, when := 0, -1
		s := simulation.New(seed, simulation.Interrupt(func() { when = steps }))
		ctx := s.Context(context.Background())
		count := func(context.Context, *job.Job[job.Void]) (int, error) { steps++; return 0, nil }
		job.ContinueWith(ctx, job.SleepAsync(ctx, time.Second), count)
		job.ContinueWith(ctx, job.SleepAsync(ctx, 2*time.Second), count)
		require.NoError(t, s.Run())
		at[when] = true
	}
	assert.Equal(t, map[int]bool{0: true, 1: true, 2: true}, at)
}

func TestAContextThatEndsByInterruptIsNoDeadlock(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := simulation.New(1, simulation.Interrupt(cancel), simulation.Settle())
	var held coord.Mutex
	require.True(t, held.TryLock())
	waits := transferBetweenAsync(schedulers.With(ctx, s), &held, &held)
	require.NoError(t, s.Run())
	assert.Equal(t, job.Canceled, waits.Status())
}

// Machines that wait for one context continue in one order, though package
// context tells of its end on other goroutines.
func TestTheEndOfAContextIsReproducible(t *testing.T) {
	run := func(s *simulation.Scheduler) (order string) {
		ctx, cancel := context.WithCancel(s.Context(context.Background()))
		var held coord.Mutex
		require.True(t, held.TryLock())
		for _, name := range []string{"a", "b", "c", "d"} {
			own, release := context.WithCancel(ctx)
			defer release()
			job.ContinueWith(s.Context(context.Background()), transferBetweenAsync(own, &held, &held),
				func(context.Context, *job.Job[job.Void]) (int, error) { order += name; return 0, nil })
		}
		job.Go(s.Context(context.Background()), func(context.Context) error { cancel(); return nil })
		require.NoError(t, s.Run())
		return order
	}
	for range 20 {
		s := simulation.NewWith(func([]simulation.Turn) int { return 0 }, simulation.Settle())
		require.Equal(t, "abcd", run(s))
		require.Equal(t, "abcd", run(simulation.Replay(s.Trace(), simulation.Settle())))
	}
}

func TestABrokenInvariantIsTheResultOfRun(t *testing.T) {
	wrong := errors.New("wrong")
	n, calls := 0, 0
	s := simulation.New(1, simulation.Between(func() error {
		if calls++; n == 2 {
			return wrong
		}
		return nil
	}))
	for range 4 {
		submit(t, s, "work", func(schedulers.Worker) { n++ })
	}
	require.ErrorIs(t, s.Run(), wrong)
	assert.Equal(t, 4, n, "all work has ended")
	assert.Equal(t, 2, calls, "after a step, and not after the first failure")
	require.NoError(t, s.Run())
}

func TestPanicsOfJobsAreTold(t *testing.T) {
	var told []*simulation.Panic
	s := simulation.New(1, simulation.OnPanic(func(p *simulation.Panic) { told = append(told, p) }))
	ctx := s.Context(context.Background())
	job.Go(ctx, func(context.Context) error { panic("first") }, job.Named("a"))
	job.Go(ctx, func(context.Context) error { return nil })
	require.NoError(t, s.Run())
	require.Len(t, told, 1)
	assert.Equal(t, "a", told[0].Work)
	assert.Equal(t, "first", told[0].Value)
	assert.Contains(t, string(told[0].Stack), "chooser_test.go")
}

func TestTheObserverLearnsWhereAMachineContinuesAndWhy(t *testing.T) {
	var events []simulation.Event
	s := simulation.New(1, simulation.Observe(func(e simulation.Event) { events = append(events, e) }))
	ctx := s.Context(context.Background())
	answer := job.NewSource[int]()
	awaitAsync(ctx, answer.Job())
	job.Go(ctx, func(context.Context) error { answer.TrySetResult(1); return nil }, job.Named("asker"))
	require.NoError(t, s.Run())
	require.Len(t, events, 2)
	assert.Equal(t, "asker", events[0].Work)
	assert.Empty(t, events[0].Where.File)
	assert.Contains(t, events[1].Where.String(), "await (machines_test.go:")
	assert.Regexp(t, `^job #\d+$`, events[1].For)
}

// The end of a context that nothing in the simulation ends comes before a deadlock.
func TestAnIdleSimulationIsToldBeforeItIsADeadlock(t *testing.T) {
	for i, opts := range [][]simulation.Option{nil, {simulation.Outside(time.Millisecond)}} {
		ctx, cancel := context.WithCancel(context.Background())
		calls := 0
		s := simulation.New(1, append(opts, simulation.Idle(func() bool { calls++; cancel(); return calls == 1 }))...)
		var held coord.Mutex
		require.True(t, held.TryLock())
		machine := transferBetweenAsync(schedulers.With(ctx, s), &held, &held)
		forever := job.Go(s.Context(context.Background()), func(own context.Context) error {
			return schedulers.Wait(own, nil, nil, make(chan struct{}))
		})
		var d *simulation.Deadlock
		require.ErrorAs(t, s.Run(), &d)
		assert.Len(t, d.Waiting, 1)
		assert.Equal(t, 2, calls, i)
		assert.Equal(t, job.Canceled, machine.Status())
		assert.Equal(t, job.Faulted, forever.Status())
	}
}
