package dedicated_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
)

// stage runs functions on the threads of a scheduler. Each function has a thread to itself,
// which is held until it is released.
type stage struct {
	t *testing.T
	s *dedicated.Threads
}

func newStage(t *testing.T, n int) *stage {
	t.Helper()
	s := &stage{t: t, s: dedicated.New(n)}
	t.Cleanup(func() { require.NoError(t, s.s.Shutdown(context.Background())) })
	return s
}

// actor is work that runs the functions sent to it, one after the other, until the channel
// is closed.
type actor chan func(on dispatch.HomeBlocker)

func (s *stage) actor() actor {
	a := make(actor)
	require.NoError(s.t, s.s.Submit(do(func(on schedulers.Worker) {
		for f := range a {
			f(on.(dispatch.HomeBlocker))
		}
	}), schedulers.Hint{}))
	return a
}

// do makes the actor call f and waits until it has returned.
func (a actor) do(f func(on dispatch.HomeBlocker)) {
	done := make(chan struct{})
	a <- func(on dispatch.HomeBlocker) {
		defer close(done)
		f(on)
	}
	<-done
}

// block makes the actor announce a wait, which continues when block has returned.
func (a actor) block(home schedulers.Scheduler, done <-chan struct{}) (unblock func(), err error) {
	a.do(func(on dispatch.HomeBlocker) { unblock, err = on.BlockFor(home, done) })
	return unblock, err
}

func TestTheLastThreadToWaitIsToldThatNoneIsLeft(t *testing.T) {
	s := newStage(t, 2)
	one, two := s.actor(), s.actor()
	defer close(one)
	defer close(two)
	never := make(chan struct{})
	unblock, err := one.block(s.s, never)
	require.NoError(t, err, "the other thread can still do it")
	_, err = two.block(s.s, never)
	require.ErrorIs(t, err, schedulers.ErrWouldDeadlock)
	unblock()
	again, err := two.block(s.s, never)
	require.NoError(t, err, "the first one continues now")
	again()
}

func TestAnEndedWaitDoesNotCountAsAWait(t *testing.T) {
	s := newStage(t, 2)
	one, two := s.actor(), s.actor()
	defer close(one)
	defer close(two)
	over := make(chan struct{})
	first, err := one.block(s.s, over)
	require.NoError(t, err)
	close(over) // but first has not been called
	second, err := two.block(s.s, make(chan struct{}))
	require.NoError(t, err)
	first()
	_, err = one.block(s.s, make(chan struct{}))
	require.ErrorIs(t, err, schedulers.ErrWouldDeadlock, "now both wait")
	second()
}

func TestAWaitForWhatHasHappenedIsNotRefused(t *testing.T) {
	s := newStage(t, 1)
	one := s.actor()
	defer close(one)
	over := make(chan struct{})
	close(over)
	unblock, err := one.block(s.s, over)
	require.NoError(t, err)
	unblock()
}

func TestAWaitForSomethingElseIsNeverRefused(t *testing.T) {
	s, other := newStage(t, 1), newStage(t, 1)
	one := s.actor()
	defer close(one)
	never := make(chan struct{})
	unblock, err := one.block(other.s, never)
	require.NoError(t, err)
	unblock()
	unblock, err = one.block(nil, never)
	require.NoError(t, err)
	unblock()
	one.do(func(on dispatch.HomeBlocker) { unblock, err = on.Block() })
	require.NoError(t, err)
	unblock()
}

func TestAThreadThatWaitsForAnotherJobMayContinue(t *testing.T) {
	s := newStage(t, 2)
	one, two := s.actor(), s.actor()
	defer close(one)
	defer close(two)
	one.do(func(on dispatch.HomeBlocker) {
		_, err := on.Block()
		assert.NoError(t, err)
	})
	unblock, err := two.block(s.s, make(chan struct{}))
	require.NoError(t, err)
	unblock()
}

func TestAThreadThatWasNeverNeededIsFree(t *testing.T) {
	s := newStage(t, 2)
	one := s.actor()
	defer close(one)
	unblock, err := one.block(s.s, make(chan struct{}))
	require.NoError(t, err)
	unblock()
}

// needsThreadIDs skips a test on systems on which threads cannot be told apart.
func needsThreadIDs(t *testing.T) {
	t.Helper()
	if dedicated.ThreadID() == 0 {
		t.Skip("this system has no thread ids, so hints are believed")
	}
}

// A goroutine that has the context of a thread waits on its behalf.
func TestAForeignGoroutineDoesNotHoldAThreadUp(t *testing.T) {
	needsThreadIDs(t)
	s := newStage(t, 1)
	one := s.actor()
	defer close(one)
	var worker dispatch.HomeBlocker
	one.do(func(on dispatch.HomeBlocker) { worker = on })
	var foreign sync.WaitGroup
	foreign.Go(func() {
		unblock, err := worker.BlockFor(s.s, make(chan struct{}))
		if assert.NoError(t, err) {
			unblock()
		}
	})
	foreign.Wait()
}

// Work that is run in place waits inside a wait.
func TestTheEndOfAnInnerWaitLeavesTheOuterOne(t *testing.T) {
	s := newStage(t, 2)
	one, two := s.actor(), s.actor()
	defer close(one)
	defer close(two)
	outer, err := one.block(s.s, make(chan struct{}))
	require.NoError(t, err)
	inner, err := one.block(s.s, make(chan struct{}))
	require.NoError(t, err)
	inner()
	_, err = two.block(s.s, make(chan struct{}))
	require.ErrorIs(t, err, schedulers.ErrWouldDeadlock)
	outer()
}

func TestAForeignWaitLeavesWorkToTheThread(t *testing.T) {
	needsThreadIDs(t)
	synctest.Test(t, func(t *testing.T) {
		s := dedicated.New(1)
		release := make(chan struct{})
		var thread int
		var queued *job.Job[int]
		holder := job.Go(t.Context(), func(ctx context.Context) error {
			thread = dedicated.ThreadID()
			queued = job.Run(ctx, func(context.Context) (int, error) { return dedicated.ThreadID(), nil })
			go func() { _, _ = queued.Wait(ctx) }() // on behalf of the thread, on another one
			<-release
			return nil
		}, job.On(s))
		synctest.Wait()
		assert.Equal(t, job.Scheduled, queued.Status(), "the only thread is taken")
		close(release)
		_, err := holder.Wait(context.Background())
		assert.NoError(t, err)
		ran, err := queued.Wait(context.Background())
		assert.NoError(t, err)
		assert.Equal(t, thread, ran)
		assert.NoError(t, s.Shutdown(context.Background()))
	})
}
