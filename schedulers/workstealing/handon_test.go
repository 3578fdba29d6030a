package workstealing_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/workstealing"
)

// Another goroutine submits with a hint that names a worker, at the moment when that worker
// hands off its processor. The worker waits for the submitted work.
func TestWorkPushedWhileItsProcessorIsHandedOnIsNotStranded(t *testing.T) {
	s := workstealing.New(workstealing.Processors(1), workstealing.Patience(0))
	const rounds = 2_000
	for round := range rounds {
		ended := make(chan struct{})
		require.NoError(t, s.Submit(do(func(on schedulers.Worker) {
			defer close(ended)
			ran, ready := make(chan struct{}), make(chan struct{})
			go func() {
				close(ready)
				for range round % 64 {
					runtime.KeepAlive(round)
				}
				_ = s.Submit(do(func(schedulers.Worker) { close(ran) }), schedulers.Hint{From: on})
			}()
			<-ready
			unblock, err := on.(schedulers.Blocker).Block()
			if err != nil {
				return
			}
			<-ran
			unblock()
		}), schedulers.Hint{}))
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Fatalf("round %d: work is stranded in the queue of an idle processor", round)
		}
	}
	require.NoError(t, s.Shutdown(context.Background()))
}

// Long-running work does not count towards the limit of workers, so a worker that blocks can
// still hand off its processor.
func TestLongWorkTakesNoWorkersPlace(t *testing.T) {
	s := workstealing.New(workstealing.Processors(1), workstealing.MaxWorkers(2), workstealing.Patience(0))
	release := make(chan struct{})
	for range 4 {
		long := do(func(schedulers.Worker) { <-release })
		require.NoError(t, s.Submit(long, schedulers.Hint{Flags: schedulers.LongRunning}))
	}
	ended := make(chan struct{})
	require.NoError(t, s.Submit(do(func(on schedulers.Worker) {
		defer close(ended)
		ran := make(chan struct{})
		if s.Submit(do(func(schedulers.Worker) { close(ran) }), schedulers.Hint{From: on}) != nil {
			return
		}
		unblock, err := on.(schedulers.Blocker).Block()
		if err != nil {
			return
		}
		defer unblock()
		<-ran
	}), schedulers.Hint{}))
	<-ended
	close(release)
	require.NoError(t, s.Shutdown(context.Background()))
}
