package simulation_test

import (
	"context"
	"testing"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/simulation"
)

// ticks is an actor with five ticks.
//
//movenext:async
func ticks(ctx context.Context) error {
	for range 5 {
		if err := job.Sleep(ctx, time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// actors starts a hundred thousand actors and returns what waits for them.
func actors(ctx context.Context) *job.Job[job.Void] {
	all := make([]job.Handle, 100_000)
	for i := range all {
		all[i] = ticksAsync(ctx)
	}
	return job.WhenAllOf(all...)
}

// BenchmarkActors compares a simulation of a hundred thousand actors with five ticks each with
// the same on a pool, where they also have to wait for the ticks. So look at cpu-ms.
func BenchmarkActors(b *testing.B) {
	for name, scheduler := range map[string]func() *simulation.Scheduler{
		"simulation":           func() *simulation.Scheduler { return simulation.New(1) },
		"simulation, in order": func() *simulation.Scheduler { return simulation.Replay(nil) },
	} {
		b.Run(name, func(b *testing.B) {
			measured(b, func() {
				s := scheduler()
				ctx := s.Context(context.Background())
				if _, err := actors(ctx).Wait(ctx); err != nil {
					b.Error(err)
				}
			})
		})
	}
	b.Run("pool", func(b *testing.B) {
		p := pool.New()
		ctx := schedulers.With(context.Background(), p)
		measured(b, func() {
			if _, err := actors(ctx).Wait(ctx); err != nil {
				b.Error(err)
			}
		})
		if err := p.Shutdown(context.Background()); err != nil {
			b.Error(err)
		}
	})
}

func measured(b *testing.B, f func()) {
	before := processorTime()
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64((processorTime()-before).Milliseconds())/float64(b.N), "cpu-ms")
}
