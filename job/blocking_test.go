package job

import (
	"context"
	"io"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

// freshLane gives one test an unused lane.
func freshLane(t *testing.T, limit int) {
	t.Helper()
	before, fresh := blockingLane, &lane{limit: limit}
	blockingLane = func() *schedulers.Home { return dispatch.HomeFor(fresh) }
	t.Cleanup(func() { blockingLane = before })
}

func TestTheBlockingLaneServesBubblesAndTheWorldOutsideInAnyOrder(t *testing.T) {
	freshLane(t, maxBlocking)
	blocks := func(t *testing.T) {
		start := time.Now()
		ctx := onPool(t, 1)
		j := Blocking(ctx, func(ctx context.Context) (time.Duration, error) {
			time.Sleep(time.Millisecond)
			return time.Since(start), Sleep(ctx, time.Millisecond)
		})
		d, err := j.Wait(ctx)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, d, time.Millisecond)
	}
	for range 3 {
		synctest.Test(t, blocks) // the first to use it
		blocks(t)
	}
}

func TestTheBlockingLaneIsBounded(t *testing.T) {
	freshLane(t, maxBlocking)
	var running, most atomic.Int32
	gate := make(chan struct{})
	full := make(chan struct{}, 2*maxBlocking)
	var jobs []*Job[Void]
	for range 2 * maxBlocking {
		jobs = append(jobs, Blocking(context.Background(), func(context.Context) (Void, error) {
			n := running.Add(1)
			for before := most.Load(); n > before && !most.CompareAndSwap(before, n); before = most.Load() {
			}
			full <- struct{}{}
			<-gate
			running.Add(-1)
			return Void{}, nil
		}))
	}
	for range maxBlocking {
		<-full
	}
	close(gate)
	_, err := WhenAll(jobs...).Wait(context.Background())
	require.NoError(t, err)
	assert.Equal(t, int32(maxBlocking), most.Load())
}

func TestWorkOfABubbleAndOfTheWorldOutsideDoNotShareGoroutines(t *testing.T) {
	freshLane(t, maxBlocking)
	begun, outside := make(chan struct{}), make(chan struct{})
	slow := Blocking(context.Background(), func(context.Context) (Void, error) {
		close(begun)
		<-outside
		return Void{}, nil
	})
	<-begun
	synctest.Test(t, func(t *testing.T) {
		ctx := onPool(t, 1)
		for range 100 {
			inside := make(chan struct{}) // belongs to the bubble: not to be used outside
			j := Blocking(ctx, func(context.Context) (Void, error) { <-inside; return Void{}, nil })
			synctest.Wait()
			close(inside)
			_, err := j.Wait(ctx)
			require.NoError(t, err)
		}
	})
	close(outside)
	_, err := slow.Wait(context.Background())
	assert.NoError(t, err)
}

func TestABlockingJobThatIsCanceledInTheQueueDoesNotRun(t *testing.T) {
	freshLane(t, 1)
	gate := make(chan struct{})
	first := Blocking(context.Background(), func(context.Context) (Void, error) { <-gate; return Void{}, nil })
	second := Blocking(context.Background(), func(context.Context) (int, error) { t.Error("it runs"); return 0, nil })
	assert.True(t, second.Cancel())
	close(gate)
	_, err := first.Wait(context.Background())
	assert.NoError(t, err)
	assert.Equal(t, Canceled, second.Status())
	_, err = Blocking(context.Background(), constant(1, nil)).Wait(context.Background())
	assert.NoError(t, err, "its slot is free")
}

func TestAJobStartedByABlockingJobRunsWhereItsCallerIs(t *testing.T) {
	m := &manual{}
	var inner *Job[int]
	outer := Blocking(m.ctx(), func(ctx context.Context) (schedulers.Scheduler, error) {
		inner = Run(ctx, constant(1, nil))
		return schedulers.FromContext(ctx), nil
	})
	s, err := outer.Wait(context.Background())
	require.NoError(t, err)
	assert.Same(t, m, s)
	m.all()
	assert.Equal(t, Completed, inner.Status())
}

func TestGoexitAndPanicInABlockingJobFreeItsSlot(t *testing.T) {
	freshLane(t, maxBlocking)
	for i := range maxBlocking + 10 {
		_, err := Blocking(context.Background(), func(context.Context) (int, error) {
			if i%2 == 0 {
				runtime.Goexit()
			}
			panic("ouch")
		}).Wait(context.Background())
		require.Error(t, err)
	}
	v, err := Blocking(context.Background(), constant(1, nil)).Wait(context.Background())
	assert.NoError(t, err)
	assert.Equal(t, 1, v)
}

func TestAFullLaneIsToldOnceUntilItsQueueIsEmpty(t *testing.T) {
	freshLane(t, maxBlocking)
	assert.Equal(t, maxBlocking, SetBlockingLimit(2))
	var told []schedulers.Metrics
	OnBlockingFull(func(m schedulers.Metrics) { told = append(told, m); panic("contained") })
	var reported int
	before := schedulers.OnHookPanic(func(*schedulers.HookPanic) { reported++ })
	defer func() { schedulers.OnHookPanic(before) }()
	for round := range 2 {
		gate := make(chan struct{})
		var jobs []*Job[Void]
		for range 5 {
			jobs = append(jobs, Blocking(context.Background(), func(context.Context) (Void, error) { <-gate; return Void{}, nil }))
		}
		m := BlockingMetrics()
		assert.Equal(t, uint64(2), m.Running)
		assert.Equal(t, uint64(3), m.Queued)
		assert.Len(t, told, round+1)
		assert.Equal(t, uint64(1), told[round].Queued)
		assert.Equal(t, 2, SetBlockingLimit(0))
		assert.Equal(t, 1, SetBlockingLimit(2))
		close(gate)
		_, err := WhenAll(jobs...).Wait(context.Background())
		require.NoError(t, err)
		for BlockingMetrics().Running > 0 { // a job ends a moment before its slot is free
			runtime.Gosched()
		}
	}
	assert.Equal(t, 2, reported)
}

func TestRaisingTheLimitStartsWhatWaits(t *testing.T) {
	freshLane(t, 1)
	OnBlockingFull(func(schedulers.Metrics) {})
	both := make(chan Void)
	meet := func(context.Context) (Void, error) {
		select {
		case both <- Void{}:
		case <-both:
		}
		return Void{}, nil
	}
	a, b := Blocking(context.Background(), meet), Blocking(context.Background(), meet)
	SetBlockingLimit(2)
	_, err := WhenAll(a, b).Wait(context.Background())
	require.NoError(t, err)
	OnBlockingFull(nil)
}

// A lane at its limit may become full many times; that must not flood a program's log.
func TestAFullLaneIsWrittenAboutOnce(t *testing.T) {
	defer warnedFull.Store(warnedFull.Load())
	warnedFull.Store(false)
	read, write, err := os.Pipe()
	require.NoError(t, err)
	before := os.Stderr
	os.Stderr = write
	warnFull(schedulers.Metrics{Running: 3, Queued: 1})
	warnFull(schedulers.Metrics{Running: 3, Queued: 2})
	os.Stderr = before
	require.NoError(t, write.Close())
	said, err := io.ReadAll(read)
	require.NoError(t, err)
	require.NoError(t, read.Close())
	assert.Equal(t, "movenext: the lane of job.Blocking is full: 3 run, 1 wait; see job.SetBlockingLimit\n", string(said))
}
