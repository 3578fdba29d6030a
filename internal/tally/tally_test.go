package tally

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// work is a Work made of functions.
type work struct {
	run     func()
	abandon func(error)
}

func (w *work) Run(schedulers.Worker) {
	if w.run != nil {
		w.run()
	}
}

func (w *work) Abandon(reason error) {
	if w.abandon != nil {
		w.abandon(reason)
	}
}

// ender counts its calls.
type ender struct{ calls int }

func (e *ender) HandleEnd() { e.calls++ }

func TestNilWorkIsRejected(t *testing.T) {
	var b Tally
	err := b.Enter("test", nil, nil)
	require.ErrorIs(t, err, schedulers.ErrRejected)
	assert.EqualError(t, err, "test: work is nil: schedulers: work was rejected")
	assert.Equal(t, schedulers.Metrics{Refused: 1}, b.Metrics())
}

func TestEnterAfterCloseIsRefused(t *testing.T) {
	var b Tally
	<-b.Close()
	require.ErrorIs(t, b.Enter("test", nil, &work{}), schedulers.ErrShutdown)
	assert.True(t, b.Closed())
	assert.Zero(t, b.Pending())
}

func TestEnterAfterCloseIsRefusedWhileWorkIsPending(t *testing.T) {
	var b Tally
	require.NoError(t, b.Enter("test", nil, &work{}))
	done := b.Close()
	require.ErrorIs(t, b.Enter("test", nil, &work{}), schedulers.ErrShutdown)
	assert.Equal(t, 1, b.Pending())
	b.Run(&work{}, nil, nil)
	<-done
}

// finisher checks, when it is notified, whether Shutdown could return already.
type finisher struct {
	b        *Tally
	tooEarly bool
}

func (f *finisher) HandleEnd() { f.look() }

func (f *finisher) look() {
	select {
	case <-f.b.done:
		f.tooEarly = true
	default:
	}
}

func TestWorkIsToldOfItsEndBeforeShutdownReturns(t *testing.T) {
	for _, end := range []func(b *Tally, f *finisher){
		func(b *Tally, f *finisher) { b.Run(&work{}, nil, f) },
		func(b *Tally, f *finisher) { b.RunThrough(&work{}, nil, nil, f) },
		func(b *Tally, f *finisher) {
			b.Abandon(nil, &work{abandon: func(error) { f.look() }}, schedulers.ErrShutdown)
		},
	} {
		var b Tally
		require.NoError(t, b.Enter("test", nil, &work{}))
		done := b.Close()
		f := &finisher{b: &b}
		end(&b, f)
		<-done
		assert.False(t, f.tooEarly)
	}
}

func TestDrainedIsCalledBeforeShutdownReturns(t *testing.T) {
	var b Tally
	f := &finisher{b: &b}
	b.OnDrained = f.look
	<-b.Close()
	assert.False(t, f.tooEarly)
}

func TestEachWayOutIsCounted(t *testing.T) {
	var b Tally
	var e ender
	w := &work{}
	enter := func() { require.NoError(t, b.Enter("test", nil, w)) }

	enter()
	assert.Equal(t, schedulers.Metrics{Submitted: 1, Queued: 1}, b.Metrics())
	w.run = func() { assert.Equal(t, schedulers.Metrics{Submitted: 1, Running: 1, Workers: 1}, b.Metrics()) }
	b.Run(w, nil, &e)

	enter()
	w.run = func() { panic("on purpose") }
	b.Run(w, nil, &e)

	enter()
	assert.PanicsWithValue(t, "on purpose", func() { b.RunThrough(w, nil, nil, &e) })

	enter()
	left := make(chan struct{})
	go func() {
		defer close(left)
		w.run = runtime.Goexit
		b.Run(w, nil, &e)
	}()
	<-left

	enter()
	b.Refuse(nil, w)

	enter()
	var reason error
	w.abandon = func(err error) { reason = err }
	b.Abandon(nil, w, schedulers.ErrShutdown)
	assert.Equal(t, schedulers.ErrShutdown, reason)

	assert.Equal(t, schedulers.Metrics{Submitted: 5, Refused: 1, Completed: 4, Abandoned: 1, Panicked: 2}, b.Metrics())
	assert.Equal(t, 4, e.calls)
	require.NoError(t, b.Shutdown(context.Background(), func() { t.Error("there was nothing to give up") }))
}

func TestWorkThatASchedulerCountsAsTakenRunsUntilItHasEnded(t *testing.T) {
	var taken uint64
	b := Tally{CountTaken: func() uint64 { return taken }}
	w := &work{}
	for range 2 {
		require.NoError(t, b.Enter("test", nil, w))
	}
	taken = 1
	assert.Equal(t, schedulers.Metrics{Submitted: 2, Queued: 1, Running: 1, Workers: 1}, b.Metrics())
	b.RunThrough(w, nil, nil, nil)
	assert.Equal(t, schedulers.Metrics{Submitted: 2, Completed: 1, Queued: 1}, b.Metrics())
	taken = 2
	b.Abandon(nil, w, schedulers.ErrShutdown)
	assert.Equal(t, schedulers.Metrics{Submitted: 2, Completed: 1, Abandoned: 1}, b.Metrics())
}

func TestAPanicThatPassesKeepsTheFramesOfItsOrigin(t *testing.T) {
	var b Tally
	require.NoError(t, b.Enter("test", nil, &work{}))
	var stack string
	func() {
		defer func() {
			_ = recover()
			buf := make([]byte, 1<<14)
			stack = string(buf[:runtime.Stack(buf, false)])
		}()
		b.RunThrough(&work{run: origin}, nil, nil, nil)
	}()
	assert.Contains(t, stack, "tally.origin")
}

func origin() { panic("on purpose") }

func TestShutdownGivesUpWhenItsContextEnds(t *testing.T) {
	var b Tally
	w := &work{}
	require.NoError(t, b.Enter("test", nil, w))
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	gave := false
	assert.Equal(t, cause, b.Shutdown(ctx, func() { gave = true; b.Abandon(nil, w, schedulers.ErrShutdown) }))
	assert.True(t, gave)
	assert.NoError(t, b.Shutdown(ctx, nil), "all has ended, so it no longer matters that ctx has, too")
}

func TestANilContextNeverEnds(t *testing.T) {
	var b Tally
	var none context.Context
	assert.NoError(t, b.Shutdown(none, nil))
}

// Enter and leave race close in all orders; done must be closed once, and not before the last
// leave.
func TestLeaveRacingClose(t *testing.T) {
	for range 2000 {
		drained := 0
		b := Tally{OnDrained: func() { drained++ }}
		w := &work{}
		entered := make(chan struct{})
		var goroutines sync.WaitGroup
		for i := range 3 {
			goroutines.Go(func() {
				if i > 0 {
					<-entered
				}
				if b.Enter("test", nil, w) == nil {
					if i == 0 {
						close(entered)
					}
					b.Run(w, nil, nil)
				}
			})
		}
		<-entered
		goroutines.Go(func() { <-b.Close() })
		<-b.Close()
		assert.Zero(t, b.Pending())
		assert.Equal(t, 1, drained)
		goroutines.Wait()
	}
}
