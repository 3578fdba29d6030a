package statemachine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/statemachine"
)

func ExampleFunc1() {
	load := func(context.Context) *job.Job[int] { return job.FromResult(7) }
	fmt.Println(job.Run(context.Background(), statemachine.Func1(load)).Await())
	// Output: 7 <nil>
}

func ExampleAction1() {
	ping := func(context.Context) *job.Job[job.Void] { return job.FromError[job.Void](io.EOF) }
	s := job.NewScope(context.Background())
	s.Go(statemachine.Action1(ping))
	fmt.Println(s.Wait())
	// Output: EOF
}

func TestAFunctionIsFollowedByItsTwin(t *testing.T) {
	p, ctx := singleWorker(t)
	gate := job.NewSource[int]()
	started := make(chan struct{})
	j := job.Run(ctx, statemachine.Func1(func(context.Context) *job.Job[int] { close(started); return gate.Job() }))
	<-started
	_, err := job.Go(ctx, func(context.Context) error { return nil }).Await()
	require.NoError(t, err, "the one worker runs something else")
	gate.TrySet(7, io.EOF)
	v, err := j.Wait(context.Background())
	assert.Equal(t, 7, v)
	assert.Equal(t, io.EOF, err)
	assert.Equal(t, uint64(2), p.Metrics().Submitted)
}

func TestAFollowedFunctionEndsAsItsTwin(t *testing.T) {
	ctx := context.Background()
	thrown := &job.PanicError{Value: "thrown"}
	for _, complete := range []bool{true, false} {
		for _, err := range []error{thrown, job.ErrGoexit, io.EOF, badError{}} {
			source := job.NewSource[int]()
			if complete {
				source.TrySetError(err)
			}
			begun := make(chan struct{})
			j := job.Then(ctx, job.FromResult("x"), statemachine.Func2(func(context.Context, string) *job.Job[int] { close(begun); return source.Job() }))
			<-begun
			source.TrySetError(err)
			<-j.Done()
			assert.Equal(t, job.Faulted, j.Status())
			assert.Equal(t, err, j.Err())
		}
	}
	_, err := job.Run(ctx, statemachine.Func1(func(context.Context) *job.Job[int] { return nil })).Await()
	assert.ErrorIs(t, err, job.ErrNilJob)
	_, err = job.InScopeAsync(ctx, statemachine.Action2(func(context.Context, *job.Scope) *job.Job[job.Void] { return job.FromError[job.Void](io.EOF) })).Await()
	assert.ErrorIs(t, err, io.EOF)
}

func TestAFollowedErrorThatPanicsFaultsTheJob(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	source, begun := job.NewSource[int](), make(chan struct{})
	j := job.Run(ctx, statemachine.Func1(func(context.Context) *job.Job[int] { close(begun); return source.Job() }))
	<-begun
	cancel() // from now on the error is compared
	source.TrySetError(badError{})
	<-j.Done()
	var p *job.PanicError
	assert.True(t, errors.As(j.Err(), &p))
}

type badError struct{}

func (badError) Error() string { return "bad" }
func (badError) Is(error) bool { panic("in Is") }

func TestCancelReachesTheFunctionThatFollowsATwin(t *testing.T) {
	ctx := context.Background()
	started := make(chan struct{})
	j := job.Run(ctx, statemachine.Func1(func(ctx context.Context) *job.Job[job.Void] {
		defer close(started)
		return job.Go(ctx, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	}))
	<-started
	assert.True(t, j.Cancel())
	_, err := j.Wait(ctx)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, job.Canceled, j.Status())
}

func TestTheContextOfAFollowedFunctionLastsAsLongAsTheJob(t *testing.T) {
	ctx := context.Background()
	inner, given := job.NewSource[int](), make(chan context.Context, 1)
	j := job.Run(ctx, statemachine.Func1(func(ctx context.Context) *job.Job[int] { given <- ctx; return inner.Job() }))
	own := <-given
	require.NoError(t, own.Err())
	inner.TrySetResult(1)
	_, err := j.Wait(ctx)
	require.NoError(t, err)
	assert.ErrorIs(t, own.Err(), context.Canceled)
}

// The job ends as the inner job does, which may run anywhere; so the last thread may
// wait for it.
func TestTheLastThreadMayWaitForAJobThatFollowsATwinElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := dedicated.New(1)
		on := job.On(s)
		inner := job.NewSource[int]()
		j := job.Run(t.Context(), statemachine.Func1(func(context.Context) *job.Job[int] { return inner.Job() }), on)
		synctest.Wait()
		waiter := job.Run(t.Context(), func(ctx context.Context) (int, error) { return j.Wait(ctx) }, on)
		synctest.Wait()
		inner.TrySetResult(1)
		v, err := waiter.Wait(context.Background())
		assert.NoError(t, err)
		assert.Equal(t, 1, v)
		assert.NoError(t, s.Shutdown(context.Background()))
	})
}
