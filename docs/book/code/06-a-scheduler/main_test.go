package main

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/schedulertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// [first second third] <nil>
	// <nil>
	// job: not accepted by its scheduler: schedulers: scheduler is shut down
}

func TestConformance(t *testing.T) {
	schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler { return New() })
}

// Exercise 1: no goroutine can run the child, since the only one waits for it. A wait that is
// bounded by a context ends, and then the child runs. (A scheduler whose workers implement
// schedulers.Blocker would be notified before the wait blocks, and could refuse it.)
func TestExercise1AWaitInsideOfTheLoop(t *testing.T) {
	loop := New()
	ctx := schedulers.With(context.Background(), loop)
	var child *job.Job[int]
	_, err := job.Go(ctx, func(ctx context.Context) error {
		child = job.Run(ctx, func(context.Context) (int, error) { return 42, nil })
		impatient, cancel := context.WithCancel(ctx)
		cancel()
		_, err := child.Wait(impatient)
		return err
	}).Wait(context.Background())
	var ended *job.WaitError
	require.ErrorAs(t, err, &ended)
	v, err := child.Wait(context.Background())
	require.NoError(t, err)
	assert.Equal(t, 42, v)
	require.NoError(t, loop.Shutdown(context.Background()))
}

// bounded is exercise 2. Resumed work is accepted even without space: otherwise the rest of a
// machine that has begun, its deferred calls among it, would run outside of the loop.
type bounded struct {
	*Loop
	room      int
	admission sync.Mutex // the check and the submission are one step: the queue only shrinks in between
}

func (b *bounded) Submit(w schedulers.Work, hint schedulers.Hint) error {
	b.admission.Lock()
	defer b.admission.Unlock()
	b.mu.Lock()
	full := len(b.queue) >= b.room
	b.mu.Unlock()
	if full && !hint.Flags.Has(schedulers.Resumed) {
		return schedulers.ErrRejected
	}
	return b.Loop.Submit(w, hint)
}

// work closes itself when it runs.
type work chan struct{}

func (w work) Run(schedulers.Worker) { close(w) }
func (work) Abandon(error)           {}

func TestExercise2AFullQueueRefuses(t *testing.T) {
	b := &bounded{Loop: New(), room: 1}
	ctx := schedulers.With(context.Background(), b)
	running, end := make(chan struct{}), make(chan struct{})
	job.Go(ctx, func(context.Context) error { close(running); <-end; return nil })
	<-running
	queued := job.Go(ctx, func(context.Context) error { return nil })
	refused := job.Go(ctx, func(context.Context) error { return nil })
	_, err := refused.Wait(context.Background())
	assert.ErrorIs(t, err, schedulers.ErrRejected)
	resumed := work(make(chan struct{}))
	require.NoError(t, b.Submit(resumed, schedulers.Hint{Flags: schedulers.Resumed}))
	close(end)
	_, err = queued.Wait(context.Background())
	require.NoError(t, err)
	<-resumed
	require.NoError(t, b.Shutdown(context.Background()))
}
