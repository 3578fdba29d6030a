package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/simulation"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	//  0.0 s  [          ]   2 %
	//  2.0 s  [#####     ]  50 %
	//  4.0 s  [#######   ]  70 %
	//  6.0 s  [########  ]  87 %
	//  8.0 s  [##########] 100 %
	// <nil>
	// beat 1
	// beat 2
	// beat 4
	// beat 5
	// <nil> enough
}

// TestOneClockServesSimulationsAndBubbles runs the same loop by the clock of a simulation
// and by that of a bubble, in both forms.
func TestOneClockServesSimulationsAndBubbles(t *testing.T) {
	beatsOf := func(at *[]time.Duration, now func() time.Duration) func(context.Context, int) error {
		return func(_ context.Context, beat int) error {
			*at = append(*at, now())
			if beat == 3 {
				return errEnough
			}
			return nil
		}
	}
	want := []time.Duration{time.Second, 2 * time.Second, 3 * time.Second}

	var simulated []time.Duration
	sim := simulation.New(1)
	j := everyAsync(schedulers.With(context.Background(), sim), sim.Now, time.Second, beatsOf(&simulated, sim.Now))
	require.NoError(t, sim.Run())
	require.ErrorIs(t, j.Err(), errEnough)
	assert.Equal(t, want, simulated)

	synctest.Test(t, func(t *testing.T) {
		workers := pool.New()
		ctx := schedulers.With(context.Background(), workers)
		var plain, machine []time.Duration
		began := time.Now()
		now := func() time.Duration { return time.Since(began) }
		require.ErrorIs(t, every(ctx, now, time.Second, beatsOf(&plain, now)), errEnough)
		assert.Equal(t, want, plain)

		began = time.Now()
		_, err := everyAsync(ctx, now, time.Second, beatsOf(&machine, now)).Wait(context.Background())
		require.ErrorIs(t, err, errEnough)
		assert.Equal(t, want, machine)
		require.NoError(t, workers.Shutdown(context.Background()))
	})
}
