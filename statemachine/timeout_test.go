package statemachine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/everyscheduler"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/manual"
)

// timesOut sleeps in a context that ends earlier.
//
//movenext:async
func timesOut(ctx context.Context) error {
	ctx, cancel := job.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	err := job.Sleep(ctx, time.Hour)
	if ctx.Err() != err || context.Cause(ctx) != err {
		return nil
	}
	return err
}

func TestATimeoutEndsASleepOnEveryScheduler(t *testing.T) {
	for _, kind := range everyscheduler.Kinds() {
		for form, start := range map[string]func(ctx context.Context) *job.Job[job.Void]{
			"plain":   func(ctx context.Context) *job.Job[job.Void] { return job.Go(ctx, timesOut) },
			"machine": timesOutAsync,
		} {
			t.Run(kind.Name+"/"+form, func(t *testing.T) {
				below := goroutine.New()
				s := kind.New(below)
				if m, ok := s.(*manual.Scheduler); ok && form == "plain" {
					// It blocks the goroutine that drives the scheduler, and with it the clock.
					require.NoError(t, m.Shutdown(context.Background()))
					return
				}
				j := start(schedulers.With(context.Background(), s))
				if m, ok := s.(*manual.Scheduler); ok {
					m.RunAll()
					m.Advance(time.Millisecond)
				}
				if kind.Drive != nil {
					ctx, cancel := context.WithCancel(context.Background())
					go func() { <-j.Done(); cancel() }()
					kind.Drive(ctx, s)
				}
				_, err := j.Wait(context.Background())
				assert.Equal(t, context.DeadlineExceeded, err)
				require.NoError(t, s.Shutdown(context.Background()))
				require.NoError(t, below.Shutdown(context.Background()))
			})
		}
	}
}
