package pool

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/schedulertest"
)

func TestConformanceOfBoundedQueues(t *testing.T) {
	t.Run("blocks", func(t *testing.T) {
		schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler {
			return New(Workers(2, 2), QueueLimit(1_000, Block))
		}, schedulertest.SubmitBlocks())
	})
	t.Run("the self runs it", func(t *testing.T) {
		schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler {
			return New(Workers(2, 2), QueueLimit(1_000, CallerRuns))
		})
	})
	t.Run("never full", func(t *testing.T) {
		schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler {
			return New(QueueLimit(1<<20, Reject))
		})
	})
}

// full is a pool whose only worker is held and whose queue is full.
type full struct {
	*Pool
	t       *testing.T
	release chan struct{}

	mu  sync.Mutex
	ran []int // the queued work items and the later ones, in the order in which they ran
}

func fill(t *testing.T, limit int, policy WhenFull) *full {
	t.Helper()
	f := &full{Pool: New(Workers(1, 1), AddAfter(0), QueueLimit(limit, policy)), t: t, release: make(chan struct{})}
	began := make(chan struct{})
	require.NoError(t, f.Submit(do(func(schedulers.Worker) { close(began); <-f.release }), schedulers.Hint{}))
	<-began
	for i := range limit {
		require.NoError(t, f.Submit(f.note(i), schedulers.Hint{}))
	}
	return f
}

func (f *full) note(i int) do {
	return func(schedulers.Worker) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.ran = append(f.ran, i)
	}
}

func (f *full) end() schedulers.Metrics {
	f.t.Helper()
	close(f.release)
	require.NoError(f.t, f.Shutdown(context.Background()))
	return f.Metrics()
}

func TestAFullQueueRejects(t *testing.T) {
	f := fill(t, 2, Reject)
	require.ErrorIs(t, f.Submit(f.note(2), schedulers.Hint{}), schedulers.ErrRejected)
	m := f.end()
	assert.Equal(t, []int{0, 1}, f.ran)
	assert.Equal(t, uint64(1), m.Refused)
	assert.Equal(t, uint64(3), m.Submitted)
}

func TestWorkThatHasStartedBeforeAlwaysHasRoom(t *testing.T) {
	f := fill(t, 1, Reject)
	require.NoError(t, f.Submit(f.note(1), schedulers.Hint{Flags: schedulers.Resumed}))
	require.NoError(t, f.Submit(f.note(2), schedulers.Hint{Flags: schedulers.LongRunning}), "is not queued")
	require.ErrorIs(t, f.Submit(f.note(3), schedulers.Hint{}), schedulers.ErrRejected)
	f.end()
	assert.ElementsMatch(t, []int{0, 1, 2}, f.ran)
}

func TestTheCallerRunsWhatHasNoRoom(t *testing.T) {
	f := fill(t, 1, CallerRuns)
	require.NoError(t, f.Submit(f.note(1), schedulers.Hint{}))
	assert.Equal(t, []int{1}, f.ran, "before Submit has returned")
	require.NoError(t, f.Submit(do(func(schedulers.Worker) { panic("deliberate") }), schedulers.Hint{}), "the self survives")
	m := f.end()
	assert.Equal(t, []int{1, 0}, f.ran)
	assert.Equal(t, uint64(4), m.Completed)
	assert.Equal(t, uint64(1), m.Panicked)
	require.ErrorIs(t, f.Submit(f.note(2), schedulers.Hint{}), schedulers.ErrShutdown)
}

func TestSubmitBlocksUntilThereIsRoomFirstComeFirstServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fill(t, 2, Block)
		for i := 2; i < 6; i++ {
			go func() { assert.NoError(t, f.Submit(f.note(i), schedulers.Hint{})) }()
			synctest.Wait() // the submitter now waits, behind the earlier ones
		}
		assert.Equal(t, uint64(3), f.Metrics().Submitted, "what waits is not accepted")
		close(f.release)
		synctest.Wait()
		require.NoError(t, f.Shutdown(context.Background()))
		assert.Equal(t, []int{0, 1, 2, 3, 4, 5}, f.ran)
	})
}

func TestShutdownRefusesSubmittersThatWaitForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fill(t, 1, Block)
		var refused error
		go func() { refused = f.Submit(f.note(1), schedulers.Hint{}) }()
		synctest.Wait()
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		require.ErrorIs(t, f.Shutdown(gone), context.Canceled)
		synctest.Wait()
		require.ErrorIs(t, refused, schedulers.ErrShutdown)
		m := f.end()
		assert.Empty(t, f.ran)
		assert.Equal(t, uint64(1), m.Refused)
		assert.Equal(t, uint64(1), m.Abandoned, "what was queued")
	})
}

// The only worker waits in Submit for space that only a worker can make.
func TestAWorkerThatWaitsForRoomDoesNotStopThePool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Workers(1, 1), AddAfter(0), QueueLimit(1, Block))
		var all sync.WaitGroup
		all.Add(1)
		require.NoError(t, p.Submit(do(func(self schedulers.Worker) {
			defer all.Done()
			for range 50 {
				all.Add(1)
				assert.NoError(t, p.Submit(do(func(schedulers.Worker) { all.Done() }), schedulers.Hint{From: self}))
			}
		}), schedulers.Hint{}))
		all.Wait()
		require.NoError(t, p.Shutdown(context.Background()))
		assert.Equal(t, uint64(51), p.Metrics().Completed)
	})
}

// mustNotWait is a worker of another scheduler that would never run again if it waited.
type mustNotWait struct{}

func (mustNotWait) Scheduler() schedulers.Scheduler { return nil }
func (mustNotWait) ID() int                         { return 1 }
func (mustNotWait) Block() (func(), error)          { return nil, schedulers.ErrWouldDeadlock }

func TestWorkOfASubmitterThatMustNotWaitIsOutOfTheLine(t *testing.T) {
	f := fill(t, 1, Block)
	err := f.Submit(f.note(1), schedulers.Hint{From: mustNotWait{}})
	require.ErrorIs(t, err, schedulers.ErrRejected)
	require.ErrorIs(t, err, schedulers.ErrWouldDeadlock)
	m := f.end()
	assert.Equal(t, []int{0}, f.ran)
	assert.Equal(t, uint64(1), m.Refused)
}

// A submitter that waits for space is also admitted when queued work is reclaimed rather
// than taken by a worker.
func TestReclaimedWorkMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Workers(1, 1), AddAfter(0), QueueLimit(1, Block))
		queued, ran := &call{func(schedulers.Worker) {}}, make(chan struct{})
		require.NoError(t, p.Submit(do(func(self schedulers.Worker) {
			assert.NoError(t, p.Submit(queued, schedulers.Hint{}))
			go func() { assert.NoError(t, p.Submit(do(func(schedulers.Worker) { close(ran) }), schedulers.Hint{})) }()
			time.Sleep(time.Second) // until it waits, in the bubble's time
			assert.True(t, p.Reclaim(queued, self))
		}), schedulers.Hint{}))
		<-ran
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

func TestTheLimitIsNeverExceeded(t *testing.T) {
	const limit, submitters = 8, 6
	for _, policy := range []WhenFull{Reject, Block, CallerRuns} {
		p := New(Workers(2, 2), QueueLimit(limit, policy))
		var all sync.WaitGroup
		for range submitters {
			all.Go(func() {
				for range 500 {
					_ = p.Submit(do(func(schedulers.Worker) {}), schedulers.Hint{})
					assert.LessOrEqual(t, p.Metrics().Queued, uint64(limit))
				}
			})
		}
		all.Wait()
		require.NoError(t, p.Shutdown(context.Background()))
		m := p.Metrics()
		assert.Equal(t, uint64(submitters*500), m.Submitted+m.Refused)
		assert.Equal(t, m.Submitted, m.Completed)
	}
}
