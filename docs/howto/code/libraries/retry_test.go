package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/stretchr/testify/assert"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

var (
	errBusy = errors.New("busy")
	errGone = errors.New("the client is gone")
)

// attempts is an operation that fails as configured, and records when it was called.
type attempts struct {
	fails []error
	began time.Time
	at    []time.Duration
}

func (a *attempts) call(context.Context) (int, error) {
	n := len(a.at)
	a.at = append(a.at, time.Since(a.began))
	if n < len(a.fails) {
		return n, a.fails[n]
	}
	return n, nil
}

func (a *attempts) start(ctx context.Context) *job.Job[int] { return job.Run(ctx, a.call) }

// TestTheLoopIsThatOfTheLibrary runs the same failures in the library's loop and in both forms of
// ours, under a clock that jumps, and without randomness.
func TestTheLoopIsThatOfTheLibrary(t *testing.T) {
	type outcome struct {
		at   []time.Duration
		v    int
		text string
	}
	second := func() backoff.BackOff {
		return &backoff.ExponentialBackOff{InitialInterval: time.Second, Multiplier: 2, MaxInterval: 3 * time.Second}
	}
	busy := []error{errBusy, errBusy, errBusy, errBusy, errBusy, errBusy}
	for name, c := range map[string]struct {
		p      policy
		fails  []error
		cancel time.Duration
		text   string
		calls  int
	}{
		"success":            {policy{second(), 9, 0}, busy[:2], 0, "", 3},
		"a bound":            {policy{second(), 9, 0}, busy, 0, "", 7},
		"too many":           {policy{second(), 3, 0}, busy, 0, "busy", 3},
		"too long":           {policy{second(), 0, 5 * time.Second}, busy, 0, "busy", 3},
		"no second one":      {policy{&backoff.StopBackOff{}, 0, time.Minute}, busy, 0, "busy", 1},
		"for good":           {policy{second(), 9, 0}, []error{errBusy, backoff.Permanent(errBad)}, 0, errBad.Error(), 2},
		"the server says":    {policy{second(), 9, 0}, []error{errBusy, backoff.RetryAfter(7), errBusy}, 0, "", 4},
		"canceled meanwhile": {policy{second(), 9, 0}, busy, 1500 * time.Millisecond, errGone.Error(), 2},
	} {
		var outcomes []outcome
		run := func(loop func(context.Context, *attempts) (int, error)) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(schedulers.With(t.Context(), pool.New()))
				defer cancel(nil)
				if c.cancel > 0 {
					defer time.AfterFunc(c.cancel, func() { cancel(errGone) }).Stop()
				}
				a := &attempts{fails: c.fails, began: time.Now()}
				v, err := loop(ctx, a)
				o := outcome{at: a.at, v: v}
				if err != nil {
					o.text = err.Error()
				}
				outcomes = append(outcomes, o)
			})
		}
		run(func(ctx context.Context, a *attempts) (int, error) { return withBackoff(ctx, c.p, a.call) })
		run(func(ctx context.Context, a *attempts) (int, error) { return retry(ctx, c.p, a.start) })
		run(func(ctx context.Context, a *attempts) (int, error) {
			return retryAsync(ctx, c.p, a.start).Wait(context.WithoutCancel(ctx))
		})
		assert.Len(t, outcomes[0].at, c.calls, name)
		assert.Equal(t, c.text, outcomes[0].text, name)
		assert.Equal(t, outcomes[0], outcomes[1], "%s: plain", name)
		assert.Equal(t, outcomes[0], outcomes[2], "%s: machine", name)
	}
}

// TestAMachineHoldsNothingDuringAPause has one worker for a thousand retries.
func TestAMachineHoldsNothingDuringAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := schedulers.With(t.Context(), pool.New(pool.Workers(1, 1)))
		jobs := make([]*job.Job[int], 1000)
		for i := range jobs {
			a := &attempts{fails: []error{errBusy}}
			jobs[i] = retryAsync(ctx, policy{pauses: &backoff.ConstantBackOff{Interval: time.Hour}}, a.start)
		}
		began := time.Now()
		_, err := job.WhenAll(jobs...).Wait(ctx)
		assert.NoError(t, err)
		assert.Equal(t, time.Hour, time.Since(began), "all of them pause at the same time")
	})
}
