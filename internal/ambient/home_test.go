package ambient_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/inline"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/simulation"
)

// does is work that is a function.
type does func()

func (f does) Run(schedulers.Worker) { f() }
func (does) Abandon(error)           {}

// on runs f as work of s, which m drives.
func on(t *testing.T, s schedulers.Scheduler, m *simulation.Scheduler, f func()) {
	t.Helper()
	ran := false
	require.NoError(t, s.Submit(does(func() { f(); ran = true }), schedulers.Hint{}))
	require.NoError(t, m.Run())
	require.True(t, ran)
}

func TestASimulationStandsInForItsOwnWorkAlone(t *testing.T) {
	usual := ambient.Default()
	first, second := simulation.New(1), simulation.New(2)
	endFirst, endSecond := ambient.StandIn(first), ambient.StandIn(second)
	assert.Same(t, usual, ambient.Default(), "the test is not work of theirs")
	on(t, first, first, func() {
		assert.Same(t, first, ambient.Default().Scheduler)
		elsewhere := make(chan *schedulers.Home)
		go func() { elsewhere <- ambient.Default() }()
		assert.Same(t, usual, <-elsewhere, "another goroutine is elsewhere")
		on(t, second, second, func() { assert.Same(t, second, ambient.Default().Scheduler) })
		assert.Same(t, first, ambient.Default().Scheduler)
	})
	endFirst()
	on(t, first, first, func() { assert.Same(t, usual, ambient.Default(), "its search is over") })
	on(t, second, second, func() { assert.Same(t, second, ambient.Default().Scheduler) })
	endSecond()
	on(t, second, second, func() { assert.Same(t, usual, ambient.Default()) })
}

// Work of a simulation may run work of other schedulers on its goroutine.
func TestASimulationStandsInBelowOtherSchedulers(t *testing.T) {
	s := simulation.New(1)
	defer ambient.StandIn(s)()
	on(t, limited.New(s, 1), s, func() { assert.Same(t, s, ambient.Default().Scheduler) })
	on(t, s, s, func() {
		in := inline.New()
		assert.NoError(t, in.Submit(does(func() { assert.Same(t, s, ambient.Default().Scheduler) }), schedulers.Hint{}))
		assert.NoError(t, in.Shutdown(context.Background()))
	})
}

func TestWhatStandsInGoesBeforeTheDefaultThatWasSet(t *testing.T) {
	s, set := simulation.New(1), simulation.New(2)
	defer ambient.StandIn(s)()
	ambient.SetDefault(set)
	defer ambient.SetDefault(nil)
	assert.Same(t, set, ambient.Default().Scheduler)
	on(t, s, s, func() { assert.Same(t, s, ambient.Default().Scheduler) })
}
