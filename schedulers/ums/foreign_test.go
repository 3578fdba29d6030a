package ums_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/ums"
)

// The tests of this file call Block and Yield on behalf of a worker whose function continues
// to run.

func TestAForeignGoroutineThatYieldsIsLetGoWhenTheWorkerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := ums.NewCompletionList()
		foreign := make(chan struct{})
		w := list.NewWorker(func(w *ums.Worker) {
			go func() { w.Yield("in its name"); close(foreign) }()
			synctest.Wait() // the thread has been activated, and w is not picked any more
		})
		activations := 0
		require.NoError(t, ums.EnterSchedulingMode(list, func(th *ums.Thread, a ums.Activation) {
			if activations++; a.Reason == ums.Startup {
				list.Dequeue(0)
				assert.NoError(t, th.Execute(w))
			}
		}, nil))
		<-foreign
		assert.Equal(t, 2, activations, "the end of a worker that has no thread activates none")
		assert.Equal(t, []*ums.Worker{w}, list.Dequeue(0))
		assert.Equal(t, ums.Terminated, w.State())
	})
}

func TestEndDuringAForeignBlockTerminatesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := ums.NewCompletionList()
		gate, foreign := make(chan struct{}), make(chan struct{})
		w := list.NewWorker(func(w *ums.Worker) {
			go func() { w.Call(func() { <-gate }); close(foreign) }()
			synctest.Wait()
			w.Yield(nil)      // no effect: it has no thread to give up
			w.Call(func() {}) // no effect either: the other call has not ended
		})
		var causes []ums.Cause
		require.NoError(t, ums.EnterSchedulingMode(list, func(th *ums.Thread, a ums.Activation) {
			causes = append(causes, a.Cause)
			if a.Reason == ums.Startup {
				list.Dequeue(0)
				assert.NoError(t, th.Execute(w))
			}
		}, nil))
		assert.Equal(t, []*ums.Worker{w}, list.Dequeue(ums.Forever))
		assert.Equal(t, ums.Terminated, w.State())
		assert.NoError(t, w.Delete())
		close(gate)
		<-foreign
		assert.Zero(t, list.Len(), "its blocking has ended, and it is not a worker any more")
		assert.Equal(t, []ums.Cause{ums.None, ums.InCall}, causes)
	})
}

// TestAStormOfCallsInForeignNamesLosesNoWork makes each work item pass its context to
// goroutines that block and yield with it.
func TestAStormOfCallsInForeignNamesLosesNoWork(t *testing.T) {
	s := ums.New(2)
	ctx := schedulers.With(context.Background(), s)
	var foreign sync.WaitGroup
	var jobs []*job.Job[int]
	for i := range 200 {
		jobs = append(jobs, job.Run(ctx, func(ctx context.Context) (int, error) {
			for range 3 {
				foreign.Go(func() {
					if rand.IntN(2) == 0 {
						ums.Yield(ctx, nil)
					} else {
						ums.Block(ctx, runtime.Gosched)
					}
				})
			}
			ums.Block(ctx, runtime.Gosched)
			ums.Yield(ctx, nil)
			return i, nil
		}))
	}
	got, err := job.WhenAll(jobs...).Wait(context.Background())
	require.NoError(t, err)
	assert.Len(t, got, 200)
	foreign.Wait()
	require.NoError(t, s.Shutdown(context.Background()))
	assert.Equal(t, uint64(200), s.Metrics().Completed)
}
