package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

type function = func(context.Context) (int, error)

// ended returns a job that has already ended as f determines.
func ended(ctx context.Context, f function) *job.Job[int] {
	j := job.Run(ctx, f)
	_, _ = j.Await()
	return j
}

// library is a library that is broken in one way.
type library struct {
	find   string // part of the account's message
	each   int64  // jobs for each broken one
	launch func(ctx context.Context, f function) *job.Job[int]
}

// wrong returns libraries whose jobs behave differently from their functions. Few functions fail
// or panic, so half of the jobs are broken where detection requires it.
func wrong() []library {
	errInvented := errors.New("invented")
	return []library{
		{"its function was never called", 100, func(ctx context.Context, _ function) *job.Job[int] {
			return ended(ctx, func(context.Context) (int, error) { return 1, nil })
		}},
		{"a function was called 2 times", 100, func(ctx context.Context, f function) *job.Job[int] {
			return job.Run(ctx, func(ctx context.Context) (int, error) {
				_, _ = catch(ctx, f)
				return f(ctx)
			})
		}},
		{"returned 0 instead of", 100, func(ctx context.Context, f function) *job.Job[int] {
			return job.Run(ctx, func(ctx context.Context) (int, error) {
				_, err := f(ctx)
				return 0, err
			})
		}},
		{"and was to fail", 2, func(ctx context.Context, f function) *job.Job[int] {
			return job.Run(ctx, func(ctx context.Context) (int, error) {
				v, _ := catch(ctx, f)
				return v, nil
			})
		}},
		{"has failed: invented", 100, func(ctx context.Context, f function) *job.Job[int] {
			return job.Run(ctx, func(ctx context.Context) (int, error) {
				_, _ = catch(ctx, f)
				return 0, errInvented
			})
		}},
		{"and was never canceled", 2, func(ctx context.Context, f function) *job.Job[int] {
			j := job.Run(ctx, f)
			j.Cancel()
			return j
		}},
		{"was refused after its function had been called", 100, func(ctx context.Context, f function) *job.Job[int] {
			return ended(ctx, func(ctx context.Context) (int, error) {
				_, _ = catch(ctx, f)
				return 0, schedulers.ErrShutdown
			})
		}},
	}
}

// leaky returns libraries that leave something behind until release is closed.
func leaky(release <-chan struct{}, kept *[][]byte) []library {
	return []library{
		{"goroutines are left", 100, func(ctx context.Context, f function) *job.Job[int] {
			go func() { <-release }()
			return job.Run(ctx, f)
		}},
		{"bytes are left", 100, func(ctx context.Context, f function) *job.Job[int] {
			*kept = append(*kept, make([]byte, 1<<20))
			return job.Run(ctx, f)
		}},
		{"no job has ended for", 100, func(context.Context, function) *job.Job[int] {
			source := job.NewSource[int]()
			go func() {
				<-release
				_ = source.TrySetResult(1)
			}()
			return source.Job()
		}},
	}
}

func TestALibraryThatIsBrokenIsFound(t *testing.T) {
	for i := range len(wrong()) + 3 {
		release := make(chan struct{})
		var kept [][]byte
		l := append(wrong(), leaky(release, &kept)...)[i]
		t.Run(l.find, func(t *testing.T) {
			require.ErrorContains(t, accountOf(l), l.find)
		})
		close(release)
		goleak.VerifyNone(t) // what was left behind ends here, not in the tests that follow
	}
}

// accountOf returns the account's verdict on a library.
func accountOf(l library) error {
	started, one := new(atomic.Int64), new(sync.Mutex)
	each, launch := l.each, l.launch
	v := candidate{name: "broken", make: func() target { return pool.New() }}
	v.launch = func(ctx context.Context, f function) *job.Job[int] {
		if started.Add(1)%each != each/2 {
			return job.Run(ctx, f)
		}
		one.Lock()
		defer one.Unlock()
		return launch(ctx, f)
	}
	return load(v, 4_000, 4, 1, 300*time.Millisecond).err
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
