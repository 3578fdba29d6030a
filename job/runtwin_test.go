package job_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
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
