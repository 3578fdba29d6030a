package main

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// present   Completed a result
	// absent    Faulted   an error: find "absent": not found
	// broken    Faulted   a panic: index out of range
	// recovers  Completed a result
	// late      Canceled  too late
	// refused   Faulted   refused
	// waited    false     the waiting ended, the work goes on
	// at last <nil>
	// scope:    true
}

// Exercise 1: why a context was canceled. The cause is in the error, whether the function returns
// the cause or the error of its context.
func TestExercise1TheCauseOfACancellation(t *testing.T) {
	errQuota := errors.New("quota used up")
	for _, reason := range []func(context.Context) error{context.Context.Err, context.Cause} {
		ctx, cancel := context.WithCancelCause(context.Background())
		j := job.Go(ctx, func(ctx context.Context) error {
			<-ctx.Done()
			return reason(ctx)
		})
		cancel(errQuota)
		_, err := j.Wait(context.Background())
		assert.ErrorIs(t, err, errQuota)
		assert.Equal(t, job.Canceled, j.Status())
	}
}

// Exercise 2: the first success of several, where failures do not matter until all have failed.
// Then the error joins all of theirs. The losers are not canceled by the race.
func TestExercise2TheFirstSuccess(t *testing.T) {
	ctx := context.Background()
	slow := job.NewSource[string]()
	text, err := job.Race(findAsync(ctx, "absent"), findAsync(ctx, "present"), slow.Job()).Wait(ctx)
	require.NoError(t, err)
	assert.Equal(t, "value of present", text)
	assert.False(t, slow.Job().IsCompleted())

	errDown := errors.New("the third server is down")
	slow.TrySetError(errDown)
	_, err = job.Race(findAsync(ctx, "absent"), findAsync(ctx, "broken"), slow.Job()).Wait(ctx)
	var panicked *job.PanicError
	assert.ErrorIs(t, err, errNotFound)
	assert.ErrorAs(t, err, &panicked)
	assert.ErrorIs(t, err, errDown)
}
