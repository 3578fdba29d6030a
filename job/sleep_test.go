package job

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/internal/timers"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// clocked is a scheduler with timers that counts the armed ones.
type clocked struct {
	manual
	timers.Queue
	armed atomic.Int32 // and neither expired nor stopped, if none ever expires
}

func (c *clocked) StartTimer(t *schedulers.Timer, d time.Duration) {
	c.armed.Add(1)
	c.Queue.StartTimer(t, d)
}

func (c *clocked) StopTimer(t *schedulers.Timer) bool {
	stopped := c.Queue.StopTimer(t)
	if stopped {
		c.armed.Add(-1)
	}
	return stopped
}

func TestSleepTakesItsTimeAndHoldsNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := schedulers.With(t.Context(), pool.New())
		begin := time.Now()
		assert.NoError(t, Sleep(ctx, time.Minute))
		assert.Equal(t, time.Minute, time.Since(begin))
	})
}

func TestSleepOnASchedulerWithoutTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := schedulers.With(t.Context(), &manual{})
		begin := time.Now()
		j := SleepAsync(ctx, time.Minute)
		assert.Equal(t, WaitingForActivation, j.Status())
		assert.Equal(t, 1, ambient.Armed())
		<-j.Done()
		assert.Equal(t, time.Minute, time.Since(begin))
		assert.Equal(t, Completed, j.Status())
		assert.Zero(t, ambient.Armed())
	})
}

func TestASleepThatIsCanceledLeavesNoTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &clocked{}
		ctx, cancel := context.WithCancelCause(schedulers.With(t.Context(), c))
		j := SleepAsync(ctx, time.Hour)
		assert.EqualValues(t, 1, c.armed.Load())
		cancel(errBoom)
		synctest.Wait()
		assert.Equal(t, Canceled, j.Status())
		assert.ErrorIs(t, j.Err(), context.Canceled)
		assert.ErrorIs(t, j.Err(), errBoom)
		assert.Zero(t, c.armed.Load())

		ctx, cancel = context.WithCancelCause(schedulers.With(t.Context(), &manual{}))
		j = SleepAsync(ctx, time.Hour)
		cancel(nil)
		synctest.Wait()
		assert.Equal(t, context.Canceled, j.Err())
		assert.Zero(t, ambient.Armed())
	})
}

func TestASleepInAContextThatHasEndedTellsWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
		defer cancel()
		err := Sleep(ctx, time.Hour)
		assert.Equal(t, context.DeadlineExceeded, err, "and nothing of a cancellation that was not")
		assert.Equal(t, Canceled, SleepAsync(ctx, time.Hour).Status())
		assert.False(t, errors.Is(err, context.Canceled))
	})
}

func TestTheDeadlineEndsASleepAsItEndsAnyWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(schedulers.With(t.Context(), pool.New()), time.Second)
		defer cancel()
		begin := time.Now()
		assert.Equal(t, context.DeadlineExceeded, Sleep(ctx, time.Hour))
		assert.Equal(t, time.Second, time.Since(begin))
	})
}

func TestASleepOfNothingDoesNotPause(t *testing.T) {
	for _, d := range []time.Duration{0, -1, -time.Hour} {
		assert.NoError(t, Sleep(context.Background(), d))
		assert.Equal(t, Completed, SleepAsync(context.Background(), d).Status())
	}
}

// The three parties that may race in a sleep: the arming goroutine, the timer, the context.

func TestTheContextEndsBeforeTheTimerIsArmed(t *testing.T) {
	c := &clocked{}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := newSleep(ctx)
	s.timers = c
	s.guard.ContextEnded(nil)
	s.begin(time.Hour)
	assert.Zero(t, c.armed.Load(), "the goroutine that arms looks again")
	assert.Equal(t, Canceled, s.promise.job.Status())
}

func TestTheTimerExpiresWhileTheContextEnds(t *testing.T) {
	c := &clocked{}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := newSleep(ctx)
	s.timers = c
	s.begin(time.Hour)
	s.Expire(&s.timer)
	s.guard.ContextEnded(nil)
	assert.Equal(t, Completed, s.promise.job.Status())
	require.NoError(t, s.promise.job.Err())
	c.StopTimer(&s.timer)
}

func TestYieldLetsWorkThatIsQueuedGoFirst(t *testing.T) {
	m := &manual{}
	SetDefaultScheduler(m)
	defer SetDefaultScheduler(nil)
	var log []string
	Go(context.Background(), func(context.Context) error { log = append(log, "queued"); return nil })
	y := YieldAsync()
	assert.True(t, m.hints[1].Flags.Has(schedulers.PreferFairness))
	ContinueWith(context.Background(), y, func(context.Context, *Job[Void]) (Void, error) {
		log = append(log, "yielded")
		return Void{}, nil
	})
	m.all()
	assert.Equal(t, []string{"queued", "yielded"}, log)
}

func TestSwitchToWaitsForATurnOverThere(t *testing.T) {
	m := &manual{}
	j := SwitchToAsync(context.Background(), m)
	assert.Equal(t, Scheduled, j.Status())
	m.all()
	assert.NoError(t, j.Err())

	assert.Equal(t, ErrNilScheduler, SwitchTo(context.Background(), nil))
	m.refuse = ErrShutdown
	assert.ErrorIs(t, SwitchTo(context.Background(), m), ErrShutdown)
	p := pool.New()
	assert.NoError(t, SwitchTo(context.Background(), p))
	assert.NoError(t, p.Shutdown(context.Background()))
}
