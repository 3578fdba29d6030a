package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

type function = func(context.Context) (int, error)

// ended is a job that ends as f says before it is returned.
func ended(ctx context.Context, f function) *job.Job[int] {
	j := job.Run(ctx, f)
	_, _ = j.Await()
	return j
}

// Each hundredth job of a library is broken in one way.
func TestALibraryThatIsBrokenIsFound(t *testing.T) {
	errInvented := errors.New("invented")
	var kept [][]byte
	release := make(chan struct{})
	var held sync.WaitGroup
	for want, broken := range map[string]func(ctx context.Context, f function) *job.Job[int]{
		"its function was never called": func(ctx context.Context, _ function) *job.Job[int] {
			return ended(ctx, func(context.Context) (int, error) { return 1, nil })
		},
		"a function was called 2 times": func(ctx context.Context, f function) *job.Job[int] {
			return job.Run(ctx, func(ctx context.Context) (int, error) {
				_, _ = catch(ctx, f)
				return f(ctx)
			})
		},
		"returned 0 in place of": func(ctx context.Context, f function) *job.Job[int] {
			return job.Run(ctx, func(ctx context.Context) (int, error) {
				_, err := f(ctx)
				return 0, err
			})
		},
		"and was to fail": func(ctx context.Context, f function) *job.Job[int] {
			return job.Run(ctx, func(ctx context.Context) (int, error) {
				v, _ := catch(ctx, f)
				return v, nil
			})
		},
		"has failed: invented": func(ctx context.Context, f function) *job.Job[int] {
			return job.Run(ctx, func(ctx context.Context) (int, error) {
				_, _ = catch(ctx, f)
				return 0, errInvented
			})
		},
		"and was never canceled": func(ctx context.Context, f function) *job.Job[int] {
			j := job.Run(ctx, f)
			j.Cancel()
			return j
		},
		"was refused after its function had been called": func(ctx context.Context, f function) *job.Job[int] {
			return ended(ctx, func(ctx context.Context) (int, error) {
				_, _ = catch(ctx, f)
				return 0, schedulers.ErrShutdown
			})
		},
		"goroutines are left": func(ctx context.Context, f function) *job.Job[int] {
			held.Go(func() { <-release })
			return job.Run(ctx, f)
		},
		"bytes are left": func(ctx context.Context, f function) *job.Job[int] {
			kept = append(kept, make([]byte, 1<<20))
			return job.Run(ctx, f)
		},
		"no job has ended for": func(context.Context, function) *job.Job[int] {
			source := job.NewSource[int]()
			held.Go(func() {
				<-release
				_ = source.TrySetResult(1)
			})
			return source.Job()
		},
	} {
		t.Run(want, func(t *testing.T) {
			release = make(chan struct{})
			var started atomic.Int64
			v := vessel{name: "broken", make: func() target { return pool.New() }}
			var one sync.Mutex
			v.launch = func(ctx context.Context, f function) *job.Job[int] {
				if started.Add(1)%100 != 50 {
					return job.Run(ctx, f)
				}
				one.Lock()
				defer one.Unlock()
				return broken(ctx, f)
			}
			r := brew(v, 4_000, 4, 1, 300*time.Millisecond)
			require.ErrorContains(t, r.err, want)
			close(release)
			held.Wait()
			kept = nil
		})
	}
	assert.Nil(t, kept)
}

// catch calls f, and returns its panic as an error.
func catch(ctx context.Context, f function) (v int, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errDeliberate
		}
	}()
	return f(ctx)
}
