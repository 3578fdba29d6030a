package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/simulation"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// plain Go: a goroutine each is held: true
	// machines: less than ten are held:  true
}

// timed returns how long op takes. It has a clock as a parameter, which is called as plain Go: it
// is a function without a twin.
//
//movenext:async
func timed(now func() time.Duration, op func() error) (time.Duration, error) {
	began := now()
	err := op()
	return now() - began, err
}

// Exercise 1: a thousand machines sleep for an hour of virtual time inside timed.
func TestExercise1ATimerAroundAFunction(t *testing.T) {
	s := simulation.New(1)
	ctx := s.Context(context.Background())
	var jobs []*job.Job[time.Duration]
	for range 1000 {
		jobs = append(jobs, sleepTimedAsync(ctx, s))
	}
	require.NoError(t, s.Run())
	for _, j := range jobs {
		took, err := j.GetResult()
		require.NoError(t, err)
		assert.Equal(t, time.Hour, took)
	}
	assert.Equal(t, time.Hour, s.Now(), "all of them sleep at the same time")
}

//movenext:async
func sleepTimed(ctx context.Context, s *simulation.Scheduler) (time.Duration, error) {
	return timed(s.Now, func() error { return job.Sleep(ctx, time.Hour) })
}

// handler is an interface with both forms of its method, so calls through it suspend.
type handler interface {
	handle(ctx context.Context) (int, error)
	handleAsync(ctx context.Context) *job.Job[int]
}

type guarded struct{ g *gate }

//movenext:async
func (h guarded) handle(ctx context.Context) (int, error) { return h.g.pass(ctx) }

// byName calls a handler from a map. A map of functions would block here.
//
//movenext:async
func byName(ctx context.Context, handlers map[string]handler) (int, error) {
	return handlers["gate"].handle(ctx)
}

// Exercise 2: a map of handlers that are interfaces.
func TestExercise2AMapOfHandlers(t *testing.T) {
	ctx := schedulers.With(context.Background(), pool.New(pool.Workers(1, 1)))
	assert.Less(t, held(ctx, func(ctx context.Context, g *gate) *job.Job[int] {
		return byNameAsync(ctx, map[string]handler{"gate": guarded{g}})
	}), 10)
}
