package main

import (
	"context"
	"errors"
	"io"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/simulation"
)

var errBroken = errors.New("broken")

func failing() *job.Stream[string] {
	return job.StreamOf(func(yield func(string, error) bool) {
		_ = yield("f1", nil) && yield("", errBroken)
	})
}

// operators has each operator with a stream in each of its places.
func operators(ctx context.Context, a, b *job.Stream[string]) map[string]*job.Stream[string] {
	same := func(string) *job.Stream[string] { return b }
	list := func(l []string) string { return l[0] }
	return map[string]*job.Stream[string]{
		"merge":      mergeAsync(ctx, b, a),
		"zip":        zipAsync(ctx, a, b, pair),
		"zip, other": zipAsync(ctx, b, a, pair),
		"combine":    combineAsync(ctx, a, b, pair),
		"debounce":   debounceAsync(ctx, a, time.Millisecond),
		"flatLatest": flatLatestAsync(ctx, a, same),
		"batch":      eachAsync(batchAsync(ctx, a, 2, time.Millisecond), list),
	}
}

func TestTheErrorOfAStreamIsTheLastOfEachOperator(t *testing.T) {
	for name := range operators(t.Context(), nil, nil) {
		s := simulation.New(1)
		ctx := schedulers.With(t.Context(), s)
		out := operators(ctx, failing(), ticksAsync(ctx, "b", 5, time.Second))[name].Pull()
		var last error
		j := job.Go(ctx, func(ctx context.Context) error {
			for last == nil {
				_, last = out.Next(ctx)
			}
			_, err := out.Next(ctx)
			return err
		})
		require.NoError(t, s.Run(), name)
		require.ErrorIs(t, last, errBroken, name)
		assert.ErrorIs(t, j.Err(), io.EOF, name)
	}
}

// slow yields two values, and then waits for an hour.
//
//movenext:async
func slow(ctx context.Context, ended *int) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		defer func() { *ended++ }()
		for range 2 {
			if err := job.Sleep(ctx, time.Second); err != nil || !yield("s", nil) {
				return
			}
		}
		_ = job.Sleep(ctx, time.Hour)
	}
}

// The context of the operator's streams ends when its consumer leaves: a stream that waits for an
// hour holds up nobody.
func TestLeavingAnOperatorEndsItsStreams(t *testing.T) {
	for name := range operators(t.Context(), nil, nil) {
		s := simulation.New(1)
		ctx := schedulers.With(t.Context(), s)
		ended := 0
		slow := func() *job.Stream[string] { return slowAsync(ctx, &ended) }
		out := operators(ctx, slow(), slow())[name].Pull()
		j := job.Go(ctx, func(ctx context.Context) error {
			_, err := out.Next(ctx)
			return errors.Join(err, out.Stop(ctx))
		})
		require.NoError(t, s.Run(), name)
		require.NoError(t, j.Err(), name)
		assert.Less(t, s.Now(), time.Hour, name)
		assert.NotZero(t, ended, name)
	}
}
