package eventloop_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/eventloop"
	"github.com/movenext/movenext/schedulers/pool"
)

func TestSendReturnsWhenTheFunctionHas(t *testing.T) {
	l := eventloop.Start()
	n := 0
	post(t, l, func() { n = 1 })
	var none context.Context
	require.NoError(t, l.Send(none, func() { n *= 2 }))
	assert.Equal(t, 2, n)

	err := l.Send(context.Background(), func() { panic("on purpose") })
	require.EqualError(t, err, "eventloop: the function that was sent panicked: on purpose")
	err = l.Send(context.Background(), func() { runtime.Goexit() })
	require.EqualError(t, err, "eventloop: the function that was sent called runtime.Goexit")

	require.NoError(t, l.Shutdown(context.Background()))
	require.ErrorIs(t, l.Send(context.Background(), func() {}), schedulers.ErrShutdown)
}

func TestSendOnTheOwnersThreadCallsAtOnce(t *testing.T) {
	needsThreadIDs(t)
	l := eventloop.New()
	ran := false
	post(t, l, func() {
		assert.NoError(t, l.Send(context.Background(), func() { ran = true }))
		assert.True(t, ran)
	})
	assert.Equal(t, 1, l.RunPending())
}

func TestSendEndsWithItsContextAndTheFunctionRunsNevertheless(t *testing.T) {
	l := eventloop.New()
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("enough")
	cancel(cause)
	ran := false
	assert.Equal(t, cause, l.Send(ctx, func() { ran = true }))
	assert.False(t, ran)
	assert.Equal(t, 1, l.RunPending())
	assert.True(t, ran)
}

func TestSendToALoopThatIsGivenUpReturnsWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := eventloop.New()
		sent := make(chan error, 1)
		go func() { sent <- l.Send(context.Background(), func() {}) }()
		synctest.Wait()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		require.ErrorIs(t, l.Shutdown(ctx), context.Canceled)
		require.ErrorIs(t, <-sent, schedulers.ErrShutdown)
	})
}

// The only worker of a pool sends to the loop, and the loop then needs a worker of that
// pool. It gets one, because Send has announced its wait to the pool.
func TestSendTellsTheWorkerItIsCalledOn(t *testing.T) {
	l := eventloop.Start()
	workers := pool.New(pool.Workers(1, 1), pool.AddAfter(0))
	outer := job.Go(context.Background(), func(ctx context.Context) error {
		var inner error
		err := l.Send(ctx, func() {
			_, inner = job.Go(context.Background(), func(context.Context) error { return nil }, job.On(workers)).Wait(context.Background())
		})
		return errors.Join(err, inner)
	}, job.On(workers))
	_, err := outer.Wait(context.Background())
	require.NoError(t, err)
	require.NoError(t, l.Shutdown(context.Background()))
	require.NoError(t, workers.Shutdown(context.Background()))
}

func TestTimersPostInTheOrderOfTheirTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := eventloop.Start()
		begin := time.Now()
		var order []time.Duration
		for _, d := range []time.Duration{3 * time.Second, time.Second, -1, 2 * time.Second} {
			l.AfterFunc(d, func() { order = append(order, time.Since(begin)) })
		}
		never := l.AfterFunc(2*time.Second, func() { t.Error("stopped, and yet called") })
		l.AfterFunc(time.Second, nil)
		assert.True(t, never.Stop())
		assert.False(t, never.Stop())
		time.Sleep(time.Hour)
		require.NoError(t, l.Shutdown(context.Background()))
		assert.Equal(t, []time.Duration{0, time.Second, 2 * time.Second, 3 * time.Second}, order)
	})
}

func TestAStoppedTimerThatWasPostedIsNotCalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := eventloop.New()
		timer := l.AfterFunc(time.Second, func() { t.Error("stopped, and yet called") })
		post(t, l, func() { assert.True(t, timer.Stop()) })
		time.Sleep(time.Minute)
		assert.Equal(t, 2, l.RunPending())

		called := l.AfterFunc(0, func() {})
		time.Sleep(time.Minute)
		assert.Equal(t, 1, l.RunPending())
		assert.False(t, called.Stop())

		late := l.AfterFunc(time.Second, func() { t.Error("called after Shutdown") })
		require.NoError(t, l.Shutdown(context.Background()))
		time.Sleep(time.Minute)
		assert.True(t, late.Stop())
	})
}
