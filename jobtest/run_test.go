package jobtest_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/jobtest"
	"github.com/movenext/movenext/schedulers"
)

// ran returns Run's report on a program.
func ran(t *testing.T, program func(context.Context) error, opts ...jobtest.Option) *witness {
	t.Helper()
	w := &witness{TB: t}
	jobtest.Run(w, program, opts...)
	return w
}

func TestRunHasVirtualTime(t *testing.T) {
	began := time.Now()
	calls := 0
	w := ran(t, func(ctx context.Context) error {
		calls++
		return job.Sleep(ctx, 100*time.Hour)
	})
	assert.Empty(t, w.failures)
	assert.Equal(t, 1, calls)
	assert.Less(t, time.Since(began), time.Hour)
}

// The context of the function ends when the function returns, so work that waits
// for that is not a leak.
func TestTheContextEndsAfterTheFunction(t *testing.T) {
	var cause error
	w := ran(t, func(ctx context.Context) error {
		job.Go(context.WithoutCancel(ctx), func(own context.Context) error {
			err := schedulers.Wait(own, nil, nil, ctx.Done())
			cause = context.Cause(ctx)
			return err
		})
		return nil
	})
	assert.Empty(t, w.failures)
	assert.ErrorContains(t, cause, "the test's function has returned")
}

func TestRunReportsWhatIsWrong(t *testing.T) {
	never := func() *job.Job[int] { return job.NewSource[int]().Job() }
	for name, c := range map[string]struct {
		program func(context.Context) error
		want    []string
	}{
		"error": {func(context.Context) error { return errors.New("wrong result") },
			[]string{"an error: wrong result"}},
		"panic": {func(context.Context) error { panic("on purpose") },
			[]string{"a panic: the test has panicked: on purpose", "run_test.go"}},
		"panic of a job that is handled": {func(ctx context.Context) error {
			_, _ = job.Go(ctx, func(context.Context) error { panic("on purpose") }, job.Named("worker")).Wait(ctx)
			return nil
		}, []string{"a panic: worker has panicked: on purpose"}},
		"deadlock": {func(ctx context.Context) error { _, err := never().Wait(ctx); return err },
			[]string{"a deadlock", "the test, since 0s, in jobtest_test.", "run_test.go", "for job #"}},
		"a timeout in real time": {func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, time.Hour)
			defer cancel()
			_, err := never().Wait(ctx)
			return err
		}, []string{"a deadlock", "ends in real time, as context.WithTimeout makes it", "job.WithTimeout"}},
		"deadlock that is handled": {func(ctx context.Context) error { _, _ = never().Wait(ctx); return nil },
			[]string{"a deadlock"}},
		"leak": {func(ctx context.Context) error {
			job.Go(context.WithoutCancel(ctx), func(ctx context.Context) error {
				_, err := never().Wait(ctx)
				return err
			}, job.Named("reader"))
			return nil
		}, []string{"a leak", "1 still wait", "reader, since 0s, in jobtest_test.", "run_test.go"}},
		"no end": {func(ctx context.Context) error {
			for ctx.Err() == nil {
				job.Yield()
			}
			return nil
		}, []string{"no end: the program has not ended after 100 steps"}},
		"Goexit": {func(context.Context) error { runtime.Goexit(); return nil },
			[]string{"an error", "Goexit"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := ran(t, c.program, jobtest.Steps(100))
			require.Len(t, w.failures, 1)
			for _, want := range c.want {
				assert.Contains(t, w.failures[0], want)
			}
		})
	}
}

func TestGoroutinesThatAreLeftBehindAreReported(t *testing.T) {
	gate := make(chan struct{})
	defer close(gate)
	w := ran(t, func(context.Context) error { go waitAtGate(gate); return nil })
	require.Len(t, w.failures, 1)
	assert.Contains(t, w.failures[0], "a leak: jobtest: goroutines are left behind")
	assert.Contains(t, w.failures[0], "waitAtGate")

	first := true
	w = explored(t, func(context.Context) error {
		if first {
			first = false
			go waitAtGate(gate)
		}
		return nil
	})
	assert.Empty(t, w.failures, "one that is started once is not a leak")
}

func waitAtGate(gate chan struct{}) { <-gate }

func TestChoicesDriveTheSchedule(t *testing.T) {
	order := func(choices []byte) (order string) {
		w := ran(t, func(ctx context.Context) error {
			for _, name := range []string{"a", "b", "c"} {
				job.Go(ctx, func(context.Context) error { order += name; return nil })
			}
			return nil
		}, jobtest.Choices(choices))
		assert.Empty(t, w.failures)
		return order
	}
	assert.Equal(t, "abc", order(nil))
	assert.Equal(t, "cba", order([]byte{2, 1}))
	assert.Equal(t, "bca", order([]byte{4, 3}))
}

// A failure beside the cancellation that the search has made is a failure.
func TestAFailureBesideTheCancellationIsFound(t *testing.T) {
	errFlush := errors.New("flush")
	w := explored(t, func(ctx context.Context) error {
		err := job.Sleep(ctx, time.Second)
		if err != nil {
			err = errors.Join(err, errFlush)
		}
		return err
	}, jobtest.CancelEverywhere)
	require.Len(t, w.failures, 1)
	assert.Contains(t, w.failures[0], "flush")
}
