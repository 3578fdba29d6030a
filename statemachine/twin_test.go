package statemachine_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
)

// leaves has a twin written by hand. Its job has already ended when the twin returns, by
// runtime.Goexit on another goroutine.
func leaves(context.Context) error { runtime.Goexit(); return nil }

func leavesAsync(ctx context.Context) *job.Job[job.Void] {
	j := job.Go(ctx, leaves)
	<-j.Done()
	return j
}

// leftBy calls a function that exits.
//
//movenext:async
func leftBy(ctx context.Context, deferred *bool) error {
	defer func() { *deferred = true }()
	return leaves(ctx)
}

// callsLeftBy calls leftBy, which ends it too.
//
//movenext:async
func callsLeftBy(ctx context.Context, deferred *bool) error {
	return leftBy(ctx, deferred)
}

// A job that has called runtime.Goexit before its machine checks it must not end the
// goroutine that starts the machine: if the job were a little slower, it would not either.
func TestAQuickExitOfATwinLeavesTheStarterAlone(t *testing.T) {
	for name, start := range map[string]func(context.Context, *bool) *job.Job[job.Void]{
		"itself": leftByAsync, "a callee": callsLeftByAsync,
	} {
		t.Run(name, func(t *testing.T) {
			var j *job.Job[job.Void]
			var deferred bool
			started := make(chan struct{})
			go func() {
				defer close(started)
				j = start(context.Background(), &deferred)
			}()
			<-started
			require.NotNil(t, j, "the starter is gone")
			_, err := j.Wait(context.Background())
			require.ErrorIs(t, err, job.ErrGoexit)
			assert.True(t, deferred)
		})
	}
}
