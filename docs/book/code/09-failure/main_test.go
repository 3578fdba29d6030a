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

// Exercise 1: why a context was canceled. The cause travels with the job.
func TestExercise1TheCauseOfACancellation(t *testing.T) {
	errQuota := errors.New("quota used up")
	ctx, cancel := context.WithCancelCause(context.Background())
	j := job.Go(ctx, func(ctx context.Context) error {
		<-ctx.Done()
		return context.Cause(ctx)
	})
	cancel(errQuota)
	_, err := j.Wait(context.Background())
	assert.ErrorIs(t, err, errQuota)
	assert.Equal(t, job.Canceled, j.Status())
}

// Exercise 2: the first success of several, where failures do not matter until
// all have failed.
func TestExercise2TheFirstSuccess(t *testing.T) {
	ctx := context.Background()
	text, err := job.Race(findAsync(ctx, "absent"), findAsync(ctx, "present")).Wait(ctx)
	require.NoError(t, err)
	assert.Equal(t, "value of present", text)
	_, err = job.Race(findAsync(ctx, "absent"), findAsync(ctx, "absent")).Wait(ctx)
	assert.ErrorIs(t, err, errNotFound)
}
