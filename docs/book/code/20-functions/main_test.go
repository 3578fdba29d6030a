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

// listener hears an event, and may wait.
//
//movenext:async
type listener func(ctx context.Context, event int) (int, error)

// bus calls its listeners one after another.
type bus struct{ listeners []listener }

// newBus has a listener that waits at the gate, and one that does not wait. It is annotated, so
// that they suspend.
//
//movenext:async
func newBus(g *gate) *bus {
	b := &bus{}
	b.listeners = append(b.listeners,
		func(ctx context.Context, event int) (int, error) { return g.pass(ctx) },
		func(_ context.Context, event int) (int, error) { return event, nil })
	return b
}

//movenext:async
func (b *bus) publish(ctx context.Context, event int) (sum int, err error) {
	for _, l := range b.listeners {
		n, err := l(ctx, event)
		if err != nil {
			return sum, err
		}
		sum += n
	}
	return sum, nil
}

//movenext:async
func publishOne(ctx context.Context, g *gate) (int, error) { return newBus(g).publish(ctx, 1) }

// Exercise 2: five hundred events wait in the listeners of a bus.
func TestExercise2ABusKeepsItsListeners(t *testing.T) {
	ctx := schedulers.With(context.Background(), pool.New(pool.Workers(1, 1)))
	assert.Less(t, held(ctx, publishOneAsync), 10)
}
