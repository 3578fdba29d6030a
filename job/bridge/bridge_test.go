package bridge_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/job/bridge"
	"github.com/movenext/movenext/schedulers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errBoom = errors.New("boom")

func TestAnElementThatIsThereIsTakenAtOnce(t *testing.T) {
	ch := make(chan int, 1)
	ch <- 7
	j := bridge.FromChan(t.Context(), ch)
	v, err := j.GetResult()
	assert.True(t, j.IsCompleted())
	assert.NoError(t, err)
	assert.Equal(t, 7, v)
}

func TestAReceiveThatHasToWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ch := make(chan int)
		j := bridge.FromChan(t.Context(), ch)
		assert.False(t, j.IsCompleted())
		ch <- 7
		v, err := j.Await()
		assert.NoError(t, err)
		assert.Equal(t, 7, v)
	})
}

func TestACanceledReceiveTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errBoom)
		defer cancel()
		ch := make(chan int, 1)
		j := bridge.FromChan(ctx, ch)
		_, err := j.Await()
		assert.Equal(t, job.Canceled, j.Status())
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorIs(t, err, errBoom)
		ch <- 1
		assert.Len(t, ch, 1)
		v, err := bridge.FromChan(ctx, ch).Await()
		assert.NoError(t, err, "a value that is there is taken, also by a caller without time left")
		assert.Equal(t, 1, v)
	})
}

func TestClosedAndNilChannels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ch := make(chan int)
		waiting := bridge.FromChan(t.Context(), ch)
		sending := bridge.SendTo(t.Context(), make(chan<- int), 1)
		ctx, cancel := context.WithCancel(t.Context())
		closing := make(chan int)
		sent := bridge.SendTo(ctx, closing, 1)
		synctest.Wait()
		close(ch)
		close(closing)
		_, err := waiting.Await()
		assert.Equal(t, bridge.ErrClosed, err)
		assert.Equal(t, bridge.ErrClosed, bridge.FromChan(t.Context(), ch).Err())
		_, err = sent.Await()
		assert.Equal(t, bridge.ErrClosed, err)
		assert.Equal(t, bridge.ErrClosed, bridge.SendTo(t.Context(), closing, 1).Err())
		assert.Equal(t, bridge.ErrNil, bridge.FromChan[int](t.Context(), nil).Err())
		assert.Equal(t, bridge.ErrNil, bridge.SendTo(t.Context(), nil, 1).Err())
		cancel()
		assert.False(t, sending.IsCompleted())
		synctest.Wait()
	})
}

func TestSendTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ch := make(chan int, 1)
		assert.Equal(t, job.Completed, bridge.SendTo(t.Context(), ch, 1).Status())
		waiting := bridge.SendTo(t.Context(), ch, 2)
		assert.False(t, waiting.IsCompleted())
		assert.Equal(t, 1, <-ch)
		_, err := waiting.Await()
		assert.NoError(t, err)

		ctx, cancel := context.WithCancel(t.Context())
		late := bridge.SendTo(ctx, ch, 3)
		cancel()
		_, err = late.Await()
		assert.Equal(t, context.Canceled, err)
		assert.Equal(t, job.Canceled, late.Status())
		assert.Equal(t, 2, <-ch)
		assert.Empty(t, ch, "a canceled send sends nothing")
	})
}

func TestFromContextYieldsTheCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		j := bridge.FromContext(ctx)
		assert.False(t, j.IsCompleted())
		cancel(errBoom)
		cause, err := j.Await()
		assert.NoError(t, err)
		assert.Equal(t, errBoom, cause)
		assert.True(t, bridge.FromContext(ctx).IsCompleted())
		assert.False(t, bridge.FromContext(context.Background()).IsCompleted())
	})
}

func TestFromCallback(t *testing.T) {
	stop := func() { t.Error("stopped though it was done") }
	var done func(int, error)
	j := bridge.FromCallback(t.Context(), func(d func(int, error)) func() { done = d; return stop })
	assert.False(t, j.IsCompleted())
	done(5, nil)
	done(6, errBoom)
	v, err := j.GetResult()
	assert.NoError(t, err)
	assert.Equal(t, 5, v)

	j = bridge.FromCallback(t.Context(), func(d func(int, error)) func() { d(1, errBoom); return stop })
	assert.Equal(t, errBoom, j.Err(), "done before start has returned")
	assert.Equal(t, job.Faulted, j.Status())
}

func TestTheContextEndsACallAndStopsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		stopped := make(chan struct{}, 2)
		var done func(int, error)
		j := bridge.FromCallback(ctx, func(d func(int, error)) func() {
			done = d
			return func() { stopped <- struct{}{} }
		})
		cancel(errBoom)
		<-stopped
		done(1, nil)
		assert.Equal(t, job.Canceled, j.Status())
		assert.ErrorIs(t, j.Err(), errBoom)

		never := func(func(int, error)) func() { t.Error("started"); return nil }
		assert.Equal(t, job.Canceled, bridge.FromCallback(ctx, never).Status())
	})
}

func TestTheContextEndsACallBeforeStartHasReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		stopped := make(chan struct{}, 2)
		j := bridge.FromCallback(ctx, func(func(int, error)) func() {
			cancel()
			synctest.Wait()
			return func() { stopped <- struct{}{} }
		})
		assert.Equal(t, job.Canceled, j.Status())
		<-stopped
		synctest.Wait()
		assert.Empty(t, stopped, "once")
	})
}

func TestAStartThatPanicsOrIsNil(t *testing.T) {
	j := bridge.FromCallback(t.Context(), func(func(int, error)) func() { panic("ouch") })
	var p *job.PanicError
	require.ErrorAs(t, j.Err(), &p)
	assert.Equal(t, "ouch", p.Value)
	assert.Equal(t, bridge.ErrNil, bridge.FromCallback[int](t.Context(), nil).Err())
}

func TestAStopThatPanicsIsReportedAsAHook(t *testing.T) {
	reported := make(chan *schedulers.HookPanic, 1)
	before := schedulers.OnHookPanic(func(p *schedulers.HookPanic) { reported <- p })
	defer func() { schedulers.OnHookPanic(before) }()
	ctx, cancel := context.WithCancel(t.Context())
	j := bridge.FromCallback(ctx, func(func(int, error)) func() { return func() { panic("ouch") } })
	cancel()
	_, err := j.Await()
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, "ouch", (<-reported).Value)
}

// hostile is a context whose method panics or exits. The bridges call it on their goroutines.
type hostile struct {
	context.Context
	leave func()
}

func (h hostile) Err() error { h.leave(); return nil }

func TestAContextThatPanicsOnTheGoroutineOfAChannelFaultsTheJob(t *testing.T) {
	for name, form := range map[string]func(context.Context) job.Handle{
		"FromChan": func(ctx context.Context) job.Handle { return bridge.FromChan(ctx, make(chan int)) },
		"SendTo":   func(ctx context.Context) job.Handle { return bridge.SendTo(ctx, make(chan int), 1) },
	} {
		t.Run(name, func(t *testing.T) {
			j := form(hostile{Context: context.Background(), leave: func() { panic("ouch") }})
			<-j.Done()
			var p *job.PanicError
			require.ErrorAs(t, j.Err(), &p)
			assert.Equal(t, "ouch", p.Value)
			j = form(hostile{Context: context.Background(), leave: runtime.Goexit})
			<-j.Done()
			require.ErrorIs(t, j.Err(), job.ErrGoexit)
		})
	}
}

// broken is a context whose Err and Value fail once it has ended.
type broken struct {
	context.Context
	fail func()
}

func (b broken) Err() error {
	if b.Context.Err() != nil {
		b.fail()
	}
	return nil
}

func (b broken) Value(key any) any {
	if b.Context.Err() != nil {
		b.fail()
	}
	return b.Context.Value(key)
}

// There is no caller in whom a method of the context could fail: its failure is the outcome.
func TestAContextThatFailsWhenItHasEndedEndsWhatWaits(t *testing.T) {
	for how, fail := range map[string]func(){"panic": func() { panic("Err") }, "Goexit": runtime.Goexit} {
		t.Run(how, func(t *testing.T) {
			end, cancel := context.WithCancel(context.Background())
			ctx := broken{end, fail}
			stopped := make(chan struct{})
			ended := bridge.FromContext(ctx)
			called := bridge.FromCallback(ctx, func(func(int, error)) func() { return func() { close(stopped) } })
			cancel()
			<-stopped
			for _, j := range []interface {
				Done() <-chan struct{}
				Err() error
			}{ended, called} {
				<-j.Done() // a listener that exits leaves the others to another goroutine
				assert.True(t, promise.Thrown(j.Err()), j.Err())
			}
		})
	}
}
