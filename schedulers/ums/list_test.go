package ums_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers/ums"
)

func TestDequeueWithZeroTimeoutReturnsAtOnce(t *testing.T) {
	list := ums.NewCompletionList()
	assert.Empty(t, list.Dequeue(0))
	a, b := list.NewWorker(nil), list.NewWorker(nil)
	assert.Equal(t, 2, list.Len())
	assert.Equal(t, []*ums.Worker{a, b}, list.Dequeue(0), "all of them, in their order")
	assert.Empty(t, list.Dequeue(-1))
	assert.Zero(t, list.Len())
	assert.Equal(t, 2, list.Contexts(), "dequeued is not deleted")
}

func TestDequeueWithATimeoutWaitsForItOrForAWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := ums.NewCompletionList()
		start := time.Now()
		assert.Empty(t, list.Dequeue(time.Minute))
		assert.Equal(t, time.Minute, time.Since(start))

		got := make(chan []*ums.Worker)
		for _, wait := range []time.Duration{time.Hour, ums.Forever} {
			go func() { got <- list.Dequeue(wait) }()
			synctest.Wait()
			w := list.NewWorker(nil)
			assert.Equal(t, []*ums.Worker{w}, <-got)
		}
		assert.Equal(t, time.Minute, time.Since(start), "a worker ends the wait")
	})
}

func TestTheEventFiresWhenTheListTurnsFromEmptyToNonEmpty(t *testing.T) {
	list := ums.NewCompletionList()
	fired := func() bool {
		select {
		case <-list.Event():
			return true
		default:
			return false
		}
	}
	assert.False(t, fired())
	list.NewWorker(nil)
	list.NewWorker(nil)
	assert.True(t, fired())
	assert.False(t, fired(), "the second worker did not find the list empty")
	list.Dequeue(0)
	list.NewWorker(nil)
	list.Dequeue(0)
	assert.False(t, fired(), "the list is empty again")
	list.NewWorker(nil)
	assert.True(t, fired())
}

func TestAThreadBoundToOneListServesAnotherAndWaitsForBoth(t *testing.T) {
	bound, other := ums.NewCompletionList(), ums.NewCompletionList()
	var order []string
	worker := func(list *ums.CompletionList, name string) {
		list.NewWorker(func(*ums.Worker) { order = append(order, name) })
	}
	arrive := []func(){
		func() { worker(other, "from the other list") },
		func() { worker(bound, "from its own list") },
	}
	ended := 0
	entry := func(th *ums.Thread, _ ums.Activation) {
		assert.Same(t, bound, th.List())
		for ended < 2 {
			var ws []*ums.Worker
			select {
			case <-bound.Event():
				ws = bound.Dequeue(0)
			case <-other.Event():
				ws = other.Dequeue(0)
			default: // no event; now the next worker arrives
				arrive[0]()
				arrive = arrive[1:]
				continue
			}
			if ws[0].State() == ums.Terminated {
				ended++
			} else {
				assert.NoError(t, th.Execute(ws[0]))
				return
			}
		}
	}
	require.NoError(t, ums.EnterSchedulingMode(bound, entry, nil))
	assert.Equal(t, []string{"from the other list", "from its own list"}, order)
}

// TestOneListServesTwoThreads runs a worker on each of two threads at the same time: the two
// wait for each other.
func TestOneListServesTwoThreads(t *testing.T) {
	list := ums.NewCompletionList()
	met := make(chan struct{})
	list.NewWorker(func(*ums.Worker) { met <- struct{}{} })
	list.NewWorker(func(*ums.Worker) { <-met })
	ws := list.Dequeue(0)
	done := make(chan error, 2)
	for _, w := range ws {
		go func() {
			done <- ums.EnterSchedulingMode(list, func(th *ums.Thread, a ums.Activation) {
				if a.Reason == ums.Startup {
					assert.NoError(t, th.Execute(w))
				}
			}, nil)
		}()
	}
	assert.NoError(t, <-done)
	assert.NoError(t, <-done)
	assert.Len(t, list.Dequeue(0), 2, "both have terminated")
}

func TestAWithdrawnWorkerNeverRunsAndIsCleanedUpLikeAnyOther(t *testing.T) {
	list := ums.NewCompletionList()
	w := list.NewWorker(func(*ums.Worker) { t.Error("it runs") })
	list.Dequeue(0)
	assert.True(t, w.Withdraw())
	assert.False(t, w.Withdraw())
	assert.Equal(t, []*ums.Worker{w}, list.Dequeue(0))
	require.NoError(t, ums.EnterSchedulingMode(list, func(th *ums.Thread, _ ums.Activation) {
		assert.ErrorIs(t, th.Execute(w), ums.ErrTerminated)
	}, nil))
	assert.NoError(t, w.Delete())
	assert.Zero(t, list.Contexts())
}

func TestTheIDOfADeletedWorkerIsUsedAgain(t *testing.T) {
	list := ums.NewCompletionList()
	a, b, c := list.NewWorker(nil), list.NewWorker(nil), list.NewWorker(nil)
	assert.Equal(t, []int{1, 2, 3}, []int{a.ID(), b.ID(), c.ID()})
	require.True(t, b.Withdraw())
	list.Dequeue(0)
	require.NoError(t, b.Delete())
	assert.Equal(t, 2, list.NewWorker(nil).ID())
	assert.Equal(t, 3, list.Contexts())
}
