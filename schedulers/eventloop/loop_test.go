package eventloop_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/eventloop"
)

func post(t *testing.T, l *eventloop.Loop, f func()) {
	t.Helper()
	require.NoError(t, l.Post(f))
}

// given is a Work that records whether it was run or abandoned.
type given struct{ fate chan error }

func (g given) Run(schedulers.Worker) { g.fate <- nil }

func (g given) Abandon(reason error) { g.fate <- reason }

func TestTheCallerOfRunIsTheLoop(t *testing.T) {
	l := eventloop.New()
	var order []int
	for i := range 3 {
		post(t, l, func() { order = append(order, i) })
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("the window was closed")
	post(t, l, func() {
		assert.Equal(t, dedicated.ThreadID() != 0, l.OnOwner())
		cancel(cause)
	})
	post(t, l, func() { order = append(order, 100) })
	assert.False(t, l.OnOwner())
	assert.Equal(t, cause, l.Run(ctx))
	assert.Equal(t, []int{0, 1, 2}, order)
	assert.Len(t, l.Snapshot(), 1, "queued work waits for the next owner")

	post(t, l, func() { go func() { assert.NoError(t, l.Shutdown(context.Background())) }() })
	require.NoError(t, l.Run(context.Background()))
	assert.Equal(t, []int{0, 1, 2, 100}, order)
	require.NoError(t, l.Run(context.Background()), "a loop that is shut down has nothing to run")
}

func TestALoopHasOneOwner(t *testing.T) {
	l := eventloop.New()
	post(t, l, func() {
		assert.Equal(t, eventloop.ErrOwned, l.Run(context.Background()), "in the middle of work")
		other := make(chan struct{})
		go func() {
			defer close(other)
			assert.Equal(t, eventloop.ErrOwned, l.Run(context.Background()))
			assert.Zero(t, l.RunPending())
			assert.False(t, l.OnOwner())
			if dedicated.ThreadID() != 0 {
				assert.Equal(t, eventloop.ErrOwned, l.Pump(context.Background(), nil))
			}
		}()
		<-other
	})
	post(t, l, func() {})
	assert.Equal(t, 2, l.RunPending())
}

func TestAStartedLoopRunsAllItsWorkOnOneThread(t *testing.T) {
	l := eventloop.Start()
	threads := map[int]bool{} // unguarded: the loop is the guard
	for range 100 {
		post(t, l, func() { threads[dedicated.ThreadID()] = true })
	}
	require.NoError(t, l.Shutdown(context.Background()))
	assert.Len(t, threads, 1)
}

func TestRunPendingLeavesWhatArrivesMeanwhile(t *testing.T) {
	wakes := 0
	l := eventloop.New(eventloop.OnWake(func() { wakes++ }))
	var order []string
	post(t, l, func() {
		order = append(order, "a")
		post(t, l, func() { order = append(order, "c") })
	})
	post(t, l, func() { order = append(order, "b") })
	assert.Equal(t, 1, wakes, "one wake-up for what arrives at an empty queue")
	assert.Equal(t, 2, l.RunPending())
	assert.Equal(t, []string{"a", "b"}, order)
	assert.Equal(t, 2, wakes, "c did not arrive at an empty queue, and is announced nevertheless")
	assert.Equal(t, 1, l.RunPending())
	assert.Equal(t, []string{"a", "b", "c"}, order)
	assert.Equal(t, 0, l.RunPending())
	assert.Equal(t, 2, wakes)
}

// Work ends the goroutine that calls Run; the next goroutine that calls Run runs the rest.
func TestGoexitEndsTheOwnerAndNotTheLoop(t *testing.T) {
	l := eventloop.New()
	post(t, l, runtime.Goexit)
	ran := false
	post(t, l, func() { ran = true })
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		assert.NoError(t, l.Run(context.Background()))
		t.Error("Run has returned")
	}()
	<-gone
	assert.Equal(t, 1, l.RunPending())
	assert.True(t, ran)
	assert.Equal(t, uint64(2), l.Metrics().Completed)
}

func TestAStartedLoopSurvivesGoexit(t *testing.T) {
	l := eventloop.Start()
	ran := 0
	post(t, l, runtime.Goexit)
	post(t, l, func() { ran++ })
	post(t, l, runtime.Goexit)
	post(t, l, func() { ran++ })
	require.NoError(t, l.Shutdown(context.Background()))
	assert.Equal(t, 2, ran)
}

func TestAShutdownThatGivesUpAbandonsQueuedWork(t *testing.T) {
	l := eventloop.New()
	work := given{make(chan error, 1)}
	require.NoError(t, l.Submit(work, schedulers.Hint{}))
	post(t, l, func() { t.Error("this has run") })
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	require.Equal(t, cause, l.Shutdown(ctx))
	assert.Equal(t, schedulers.ErrShutdown, <-work.fate)
	require.ErrorIs(t, l.Post(func() {}), schedulers.ErrShutdown)
	require.NoError(t, l.Shutdown(context.Background()))
	var none context.Context
	require.NoError(t, l.Run(none))
}

// A Shutdown that gives up has to wake the owner, which sleeps and has nothing left.
func TestAShutdownThatGivesUpEndsARunThatSleeps(t *testing.T) {
	l := eventloop.New()
	ran := make(chan error)
	go func() { ran <- l.Run(context.Background()) }()
	work := given{make(chan error, 1)}
	require.NoError(t, l.Submit(work, schedulers.Hint{}))
	require.NoError(t, <-work.fate)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = l.Shutdown(ctx) // nil or the cause: that work may just have been counted
	require.NoError(t, <-ran)
}

func TestBadInput(t *testing.T) {
	l := eventloop.New(nil)
	require.ErrorIs(t, l.Post(nil), schedulers.ErrRejected)
	require.ErrorIs(t, l.Send(context.Background(), nil), schedulers.ErrRejected)
	require.ErrorIs(t, l.Submit(nil, schedulers.Hint{}), schedulers.ErrRejected)
	assert.Equal(t, 1, l.MaxConcurrency())
	require.NoError(t, l.Shutdown(context.Background()))
}
