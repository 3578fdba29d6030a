package job_test

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
)

func ExampleRunTwin() {
	ctx := context.Background()
	start := func(context.Context) *job.Job[string] { return job.FromResult("as the inner job") }
	fmt.Println(job.RunTwin(ctx, start).Wait(ctx))
	// Output: as the inner job <nil>
}

func ExampleNewTwin() {
	ctx := context.Background()
	j := job.NewTwin(ctx, func(context.Context) *job.Job[int] { return job.FromResult(1) })
	fmt.Println(j.Status())
	fmt.Println(j.Await())
	// Output:
	// Created
	// 1 <nil>
}

func TestATwinJobEndsAsTheInnerOneThatEndsLater(t *testing.T) {
	ctx := context.Background()
	inner, started := job.NewSource[int](), make(chan struct{})
	j := job.RunTwin(ctx, func(context.Context) *job.Job[int] { close(started); return inner.Job() })
	<-started
	assert.False(t, j.IsCompleted())
	inner.TrySet(7, io.EOF)
	v, err := j.Wait(ctx)
	assert.Equal(t, 7, v)
	assert.Equal(t, io.EOF, err)
	assert.Equal(t, job.Faulted, j.Status())
}

func TestCancelReachesTheFunctionOfATwinJob(t *testing.T) {
	ctx := context.Background()
	started := make(chan struct{})
	j := job.RunTwin(ctx, func(ctx context.Context) *job.Job[job.Void] {
		defer close(started)
		return job.Go(ctx, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	})
	<-started
	assert.True(t, j.Cancel())
	_, err := j.Wait(ctx)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, job.Canceled, j.Status())
}

func TestTheContextOfATwinJobLastsAsLongAsTheJob(t *testing.T) {
	ctx := context.Background()
	inner, given := job.NewSource[int](), make(chan context.Context, 1)
	j := job.RunTwin(ctx, func(ctx context.Context) *job.Job[int] { given <- ctx; return inner.Job() })
	own := <-given
	require.NoError(t, own.Err())
	inner.TrySetResult(1)
	_, err := j.Wait(ctx)
	require.NoError(t, err)
	assert.ErrorIs(t, own.Err(), context.Canceled)
}

func TestATwinJobWithoutAnInnerOneFaults(t *testing.T) {
	ctx := context.Background()
	_, err := job.RunTwin[int](ctx, nil).Wait(ctx)
	assert.ErrorIs(t, err, job.ErrNilFunc)
	_, err = job.NewTwin[int](ctx, nil).Wait(ctx)
	assert.ErrorIs(t, err, job.ErrNilFunc)
	_, err = job.RunTwin(ctx, func(context.Context) *job.Job[int] { return nil }).Wait(ctx)
	assert.ErrorIs(t, err, job.ErrNilJob)
	var p *job.PanicError
	_, err = job.RunTwin(ctx, func(context.Context) *job.Job[int] { panic("in start") }).Wait(ctx)
	require.ErrorAs(t, err, &p)
	assert.Equal(t, "in start", p.Value)
	_, err = job.RunTwin(ctx, func(context.Context) *job.Job[int] { return job.FromError[int](p) }).Wait(ctx)
	assert.True(t, errors.Is(err, p))
}

// touchy is an error that must not be compared.
type touchy struct{}

func (touchy) Error() string { return "touchy" }
func (touchy) Is(error) bool { panic("in Is") }

// User code decides whether the error is that of the job's context. The goroutine that
// completes the inner job calls it.
func TestAnErrorThatPanicsWhenItIsComparedFaultsATwinJobAlone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	inner, started := job.NewSource[int](), make(chan struct{})
	j := job.RunTwin(ctx, func(context.Context) *job.Job[int] { close(started); return inner.Job() })
	behind := job.WaitAsync(context.Background(), j)
	<-started
	cancel()
	assert.NotPanics(t, func() { inner.TrySetError(touchy{}) })
	_, err := j.Wait(context.Background())
	var p *job.PanicError
	require.ErrorAs(t, err, &p)
	assert.Equal(t, "in Is", p.Value)
	assert.Equal(t, job.Faulted, j.Status())
	_, err = behind.Wait(context.Background())
	assert.ErrorAs(t, err, &p, "and its waiter is told")
}

// A twin job ends as the inner job does, which may run anywhere; so the last thread may
// wait for it.
func TestTheLastThreadMayWaitForATwinJobThatNeedsNoThreadAnyMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := dedicated.New(1)
		on := job.On(s)
		inner := job.NewSource[int]()
		j := job.RunTwin(t.Context(), func(context.Context) *job.Job[int] { return inner.Job() }, on)
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
