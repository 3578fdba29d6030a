package ums_test

import (
	"reflect"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/ums"
)

func TestAContextCanBeAskedAndItsUserPartSet(t *testing.T) {
	list := ums.NewCompletionList()
	w := list.NewWorker(func(w *ums.Worker) {
		assert.Equal(t, ums.Running, w.State())
		w.SetUser("batch")
		w.Call(nil)
		w.Yield(nil)
		w.Yield(nil)
	})
	w.SetUser("interactive")
	assert.Equal(t, ums.Information{ID: 1, State: ums.Created, User: "interactive"}, w.Information())
	assert.Nil(t, w.Scheduler())
	f := &fifo{}
	f.run(t, list, 1)
	assert.Equal(t, ums.Information{ID: 1, State: ums.Terminated, User: "batch", Executed: 4, Blocked: 1, Yielded: 2}, w.Information())
	assert.Equal(t, "worker 1: Terminated, executed 4, blocked 1, yielded 2", w.Information().String())
}

func TestAContextCannotBeChangedDirectly(t *testing.T) {
	for f := range reflect.TypeFor[ums.Worker]().Fields() {
		assert.False(t, f.IsExported(), "%s", f.Name)
	}
}

// TestAWorkerKeepsItsThreadUnlikeAFibre runs two workers for several scheduler threads,
// one after the other. Fibres would run on those threads; these stay on the OS threads
// that they have locked.
func TestAWorkerKeepsItsThreadUnlikeAFibre(t *testing.T) {
	list := ums.NewCompletionList()
	seen := map[int]map[int]bool{} // worker → OS threads
	for range 2 {
		list.NewWorker(func(w *ums.Worker) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			seen[w.ID()] = map[int]bool{}
			for range 5 {
				seen[w.ID()][dedicated.ThreadID()] = true
				w.Yield(nil)
			}
		})
	}
	f := &fifo{left: 2}
	for f.left > 0 {
		var round sync.WaitGroup
		round.Go(func() { // a scheduler thread for each decision
			assert.NoError(t, ums.EnterSchedulingMode(list, func(th *ums.Thread, a ums.Activation) {
				if a.Reason == ums.Startup {
					f.entry(th, a)
				} else if a.Worker != nil {
					f.queue = append(f.queue, a.Worker)
				}
			}, nil))
		})
		round.Wait()
	}
	assert.Len(t, seen[1], 1)
	assert.Len(t, seen[2], 1)
	if dedicated.ThreadID() != 0 { // 0: this system provides no thread ids
		assert.NotEqual(t, seen[1], seen[2])
	}
}

func TestALockedContextFailsToExecuteAndIsRetried(t *testing.T) {
	list := ums.NewCompletionList()
	w := list.NewWorker(func(w *ums.Worker) { w.Yield(nil) })
	release, again := w.Hold(), w.Hold()
	attempts := 0
	require.NoError(t, ums.EnterSchedulingMode(list, func(th *ums.Thread, a ums.Activation) {
		if a.Cause == ums.Ended {
			return
		}
		list.Dequeue(0)
		err := th.Execute(w)
		for err != nil {
			assert.ErrorIs(t, err, ums.ErrLocked)
			assert.True(t, w.Information().Locked)
			if attempts++; attempts == 2 {
				release()
				release() // does nothing
			} else if attempts == 4 {
				again()
				assert.ErrorIs(t, th.Execute(w), ums.ErrNotReady)
				assert.Equal(t, []*ums.Worker{w}, list.Dequeue(0), "it comes back by the list")
			}
			err = th.Execute(w)
		}
	}, nil))
	assert.Equal(t, 4, attempts)
	assert.Equal(t, 2, w.Information().Executed)
}

func TestAnUncontendedHoldLeavesTheListAlone(t *testing.T) {
	list := ums.NewCompletionList()
	w := list.NewWorker(nil)
	list.Dequeue(0)
	w.Hold()()
	assert.Zero(t, list.Len())
}

func TestALockBelongsToTheSideThatHasLockedItFirst(t *testing.T) {
	for _, c := range []struct{ first, other ums.Side }{
		{ums.SchedulerSide, ums.WorkerSide},
		{ums.WorkerSide, ums.SchedulerSide},
	} {
		var m ums.Mutex
		require.NoError(t, m.Lock(c.first))
		assert.ErrorIs(t, m.Lock(c.other), ums.ErrSharedLock, "at once, and not a deadlock")
		m.Unlock()
		assert.ErrorIs(t, m.Lock(c.other), ums.ErrSharedLock, "also when it is free")
		require.NoError(t, m.Lock(c.first))
		m.Unlock()
	}
}

// TestAnEntryPointThatNeedsTheLockOfABlockedWorkerIsToldSo sets up the deadlock that the
// model allows: the worker that holds the lock is blocked, and its call has not ended.
func TestAnEntryPointThatNeedsTheLockOfABlockedWorkerIsToldSo(t *testing.T) {
	list := ums.NewCompletionList()
	var m ums.Mutex
	gate := make(chan struct{})
	list.NewWorker(func(w *ums.Worker) {
		assert.NoError(t, m.Lock(ums.WorkerSide))
		w.Call(func() { <-gate })
		m.Unlock()
	})
	f := &fifo{idle: func() {
		assert.ErrorIs(t, m.Lock(ums.SchedulerSide), ums.ErrSharedLock)
		close(gate)
	}}
	f.run(t, list, 1)
}
