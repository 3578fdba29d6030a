package workstealing

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
)

type numbered int

func (numbered) Run(schedulers.Worker) {}
func (numbered) Abandon(error)         {}

// Thieves move work between four queues, and spilling moves it to the global one. A reader
// that holds all locks sees all work items, except at most one that each thief is about to
// run.
func TestWorkOnTheMoveIsInOneQueueOrTheOther(t *testing.T) {
	const works, thieves, rounds = 900, 3, 2_000
	s := New(Processors(4))
	for i := range works {
		_, _ = s.procs[i%4].pushAndSpill(numbered(i), &s.global)
	}
	stop := make(chan struct{})
	var all sync.WaitGroup
	for n := range thieves {
		all.Go(func() {
			for i := n; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				from, to := s.procs[i%4], s.procs[(i+1+n)%4]
				if from == to {
					continue
				}
				if w, taken := from.stealHalf(&to.runQueue, true); taken > 0 {
					s.mu.Lock()
					to.pushAndSpill(w, &s.global)
					s.mu.Unlock()
				}
			}
		})
	}
	for range rounds {
		s.mu.Lock()
		s.lockQueues()
		seen := s.global.Len()
		for _, p := range s.procs {
			seen += len(p.list(nil))
		}
		s.unlockQueues()
		s.mu.Unlock()
		if !assert.GreaterOrEqual(t, seen, works-thieves) {
			break
		}
	}
	close(stop)
	all.Wait()
	assert.Len(t, s.Snapshot(), works)
	assert.Len(t, s.takeQueued(), works)
	assert.Empty(t, s.Snapshot())
}

func TestNoMoreThanHalfOfThoseThatRunMaySteal(t *testing.T) {
	s := New(Processors(8))
	for _, c := range []struct{ busy, may int32 }{{0, 1}, {1, 1}, {2, 1}, {3, 2}, {4, 2}, {7, 4}, {8, 4}} {
		s.idle.Store(8 - c.busy)
		s.spinning.Store(0)
		may := int32(0)
		for s.admitSpinning() {
			may++
		}
		assert.Equal(t, c.may, may, "%d of 8 processors are busy", c.busy)
	}
}

func TestWorkWakesAWorkerOnlyIfNoneSpins(t *testing.T) {
	s := New(Processors(4), Patience(0))
	s.spinning.Store(1) // as if a worker were about to search
	require.NoError(t, s.Submit(numbered(1), schedulers.Hint{}))
	assert.Zero(t, s.Metrics().Workers)
	assert.Equal(t, uint64(1), s.Metrics().Queued)
	s.spinning.Store(0)
	require.NoError(t, s.Submit(numbered(2), schedulers.Hint{}))
	require.NoError(t, s.Shutdown(context.Background()))
	assert.Equal(t, uint64(2), s.Metrics().Completed)
}

// TestAThiefTakesFromASlotOnlyIfThereIsNothingElse has two victims: one has work only in its
// slot, which its worker is about to run; the other also has work in its queue.
func TestAThiefTakesFromASlotOnlyIfThereIsNothingElse(t *testing.T) {
	for seed := range uint32(20) {
		s := New(Processors(3))
		thief := s.procs[0]
		s.procs[1].push(numbered(1))
		s.procs[2].push(numbered(2))
		s.procs[2].push(numbered(3))
		w := s.vacantWorker()
		w.seed = seed*2654435761 + 1
		assert.Equal(t, numbered(2), w.steal(thief))
		assert.NotNil(t, w.steal(thief), "then from a slot")
		assert.NotNil(t, w.steal(thief))
		assert.Nil(t, w.steal(thief))
	}
}
