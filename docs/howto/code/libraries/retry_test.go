package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/stretchr/testify/assert"

	"github.com/movenext/movenext/coord/retry"
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

// TestTheLoopIsThatOfTheLibrary runs the same failures in the library's loop and in both forms of
// ours, with the library's policies, under a clock that jumps, and without randomness.
func TestTheLoopIsThatOfTheLibrary(t *testing.T) {
	type outcome struct {
		at    []time.Duration
		v     int
		cause error
	}
	growing := &backoff.ExponentialBackOff{InitialInterval: time.Second, Multiplier: 2, MaxInterval: 3 * time.Second}
	busy := []error{errBusy, errBusy, errBusy, errBusy, errBusy, errBusy}
	for name, c := range map[string]struct {
		p      backoff.BackOff
		fails  []error // the library's
		ours   []error // the same for package retry, if they differ
		cancel time.Duration
		cause  error
		calls  int
	}{
		"success":            {growing, busy[:2], nil, 0, nil, 3},
		"a bound":            {growing, busy[:4], nil, 0, nil, 5},
		"too many":           {growing, busy, nil, 0, errBusy, 5},
		"no second one":      {&backoff.StopBackOff{}, busy, nil, 0, errBusy, 1},
		"no pause":           {&backoff.ZeroBackOff{}, busy, nil, 0, errBusy, 5},
		"for good":           {growing, []error{errBusy, backoff.Permanent(errBad)}, []error{errBusy, retry.Permanent(errBad)}, 0, errBad, 2},
		"the server says":    {growing, []error{errBusy, backoff.RetryAfter(7), errBusy}, []error{errBusy, retry.After(7*time.Second, errBusy), errBusy}, 0, nil, 4},
		"canceled meanwhile": {growing, busy, nil, 1500 * time.Millisecond, errGone, 2},
	} {
		var outcomes []outcome
		run := func(fails []error, loop func(context.Context, *attempts) (int, error)) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(schedulers.With(t.Context(), pool.New()))
				defer cancel(nil)
				if c.cancel > 0 {
					defer time.AfterFunc(c.cancel, func() { cancel(errGone) }).Stop()
				}
				a := &attempts{fails: fails, began: time.Now()}
				v, err := loop(ctx, a)
				o := outcome{at: a.at, v: v}
				for _, cause := range []error{errBusy, errBad, errGone} {
					if errors.Is(err, cause) {
						o.cause = cause
					}
				}
				outcomes = append(outcomes, o)
			})
		}
		run(c.fails, func(ctx context.Context, a *attempts) (int, error) { return withBackoff(ctx, c.p, a.call) })
		if c.ours == nil {
			c.ours = c.fails
		}
		run(c.ours, func(ctx context.Context, a *attempts) (int, error) { return withRetry(ctx, c.p, a.call) })
		run(c.ours, func(ctx context.Context, a *attempts) (int, error) {
			return withRetryAsync(ctx, c.p, a.call).Wait(context.WithoutCancel(ctx))
		})
		assert.Len(t, outcomes[0].at, c.calls, name)
		assert.Equal(t, c.cause, outcomes[0].cause, name)
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
			jobs[i] = withRetryAsync(ctx, backoff.NewConstantBackOff(time.Hour), a.call)
		}
		began := time.Now()
		_, err := job.WhenAll(jobs...).Wait(ctx)
		assert.NoError(t, err)
		assert.Equal(t, time.Hour, time.Since(began), "all of them pause at the same time")
	})
}
