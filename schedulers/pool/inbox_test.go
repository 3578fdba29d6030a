package pool

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
)

// busyRecorder is a recorder whose one worker is busy until release is closed, so
// needsDispatch is false.
func busyRecorder(t *testing.T) (d *recorder, release chan struct{}) {
	t.Helper()
	d = newRecorder(t, Workers(1, 1))
	begun, release := make(chan struct{}), make(chan struct{})
	d.submit("first", schedulers.Hint{}, func(schedulers.Worker) { close(begun); <-release })
	<-begun
	require.False(t, d.needsDispatch.Load())
	return d, release
}

// write returns work that the test itself puts into a queue instead of submitting it.
func (d *recorder) write(name string) schedulers.Work {
	d.all.Add(1)
	return do(func(schedulers.Worker) {
		defer d.all.Done()
		d.mu.Lock()
		defer d.mu.Unlock()
		d.seen = append(d.seen, name)
	})
}

func TestBothPartsOfTheQueueKeepTheOrder(t *testing.T) {
	d, release := busyRecorder(t)
	want := []string{"first"}
	for i := range 4 {
		d.submit(fmt.Sprint("inbox ", i), schedulers.Hint{}, nil)
		w := d.write(fmt.Sprint("put ", i))
		d.Pool.mu.Lock()
		d.enqueue(w) // as a worker does that yields or gives up its place
		d.Pool.mu.Unlock()
		want = append(want, fmt.Sprint("inbox ", i), fmt.Sprint("put ", i))
	}
	d.submit("inbox 4", schedulers.Hint{}, nil)
	require.True(t, d.inbox.nonEmpty.Load())
	require.Equal(t, 8, d.global.Len())
	close(release)
	assert.Equal(t, append(want, "inbox 4"), d.end())
	m := d.Metrics()
	assert.Equal(t, []uint64{10, 10, 0}, []uint64{m.Submitted, m.Completed, m.Queued})
}

// A snapshot moves the inbox behind the older work, which may be one work item.
func TestASnapshotKeepsTheOrder(t *testing.T) {
	d, release := busyRecorder(t)
	want := []string{"first"}
	for batch := range 3 {
		for i := range batch + 1 {
			name := fmt.Sprint(batch, "/", i)
			d.submit(name, schedulers.Hint{}, nil)
			want = append(want, name)
		}
		assert.Len(t, d.Snapshot(), len(want)-1)
	}
	close(release)
	assert.Equal(t, want, d.end())
}

func TestAWorkerThatEndsSeesWhatWasPushedAndNotYetDispatched(t *testing.T) {
	d, release := busyRecorder(t)
	require.True(t, d.inbox.accept(d.write("pushed"))) // its poster has not reached P2
	close(release)
	d.all.Wait()
	assert.Equal(t, []string{"first", "pushed"}, d.end())
}

// A worker that stays at the last moment accepts work in its own queue again.
func TestAWorkerThatStaysAcceptsWork(t *testing.T) {
	p := New(Workers(1, 1))
	w := p.slots.take(p)
	p.mu.Lock()
	w.live, p.capacity.running = true, 1
	require.True(t, p.inbox.accept(do(func(schedulers.Worker) {})))
	require.NotNil(t, p.endIfIdle(w), "it stays")
	accepted, first := w.push(do(func(schedulers.Worker) {}))
	p.mu.Unlock()
	assert.True(t, accepted)
	assert.True(t, first)
}

// A burst starts one worker, which starts the next when it has found work.
func TestWhileAWorkerStartsNoOtherIsStarted(t *testing.T) {
	d := newRecorder(t, Workers(3, 3))
	works := []schedulers.Work{d.write("a"), d.write("b"), d.write("c")}
	d.Pool.mu.Lock()
	for _, w := range works {
		d.enqueue(w)
		d.dispatch()
		assert.Equal(t, 1, d.capacity.running)
		assert.False(t, d.needsDispatch.Load(), "submitters need not call dispatch")
	}
	d.Pool.mu.Unlock()
	d.all.Wait()
	assert.ElementsMatch(t, []string{"a", "b", "c"}, d.end())
}

func TestWorkersThatSleepersWillNeedAgainAreKept(t *testing.T) {
	assert.True(t, (&capacity{running: 5, goal: 2, limit: 4}).surplus())
	assert.False(t, (&capacity{running: 9, goal: 2, limit: 4, waiting: 1}).surplus())
	assert.True(t, (&capacity{running: 10, goal: 2, limit: 4, waiting: 1}).surplus())
}

func TestAPushWithoutARunningWorkerFindsThePoolHungry(t *testing.T) {
	d := newRecorder(t, Workers(1, 1))
	require.True(t, d.inbox.accept(d.write("pushed")))
	require.True(t, d.needsDispatch.Load(), "P2")

	done := d.close()
	select {
	case <-done:
		t.Fatal("the pool has ended before what it had accepted")
	default:
	}
	assert.False(t, d.inbox.accept(do(func(schedulers.Worker) {})), "what comes later is refused")
	d.Pool.mu.Lock()
	d.dispatch() // P3
	d.Pool.mu.Unlock()
	<-done
	assert.Equal(t, []string{"pushed"}, d.end())
}

func TestTheInboxRefusesAfterShutdown(t *testing.T) {
	d := newRecorder(t, Workers(1, 1))
	d.end()
	d.needsDispatch.Store(false) // as if a worker were still running
	require.ErrorIs(t, d.Submit(do(nil), schedulers.Hint{}), schedulers.ErrShutdown)
	assert.EqualValues(t, 1, d.Metrics().Refused)
}

func TestWorkInTheInboxIsSeenAndAbandoned(t *testing.T) {
	d, release := busyRecorder(t)
	var reason error
	w := &abandoned{reason: &reason}
	require.NoError(t, d.Submit(w, schedulers.Hint{}))
	require.True(t, d.inbox.nonEmpty.Load())
	assert.Equal(t, []uint64{2, 1}, []uint64{d.Metrics().Submitted, d.Metrics().Queued})
	assert.Equal(t, []schedulers.Work{w}, d.Snapshot())
	require.NoError(t, d.Submit(w, schedulers.Hint{}), "behind the one that the snapshot has moved")

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, d.Shutdown(ctx), context.Canceled)
	assert.Equal(t, 2, w.times)
	assert.ErrorIs(t, reason, schedulers.ErrShutdown)
	close(release)
	d.end()
	assert.EqualValues(t, 2, d.Metrics().Abandoned)
}

type abandoned struct {
	reason *error
	times  int
}

func (w *abandoned) Run(schedulers.Worker) {}

func (w *abandoned) Abandon(reason error) {
	*w.reason = reason
	w.times++
}

func TestWorksThatComeWhileWorkersEndAreRun(t *testing.T) {
	p := New(Workers(2, 2), AddAfter(0)) // so that no stall adds a worker
	const rounds, submitters = 3000, 2
	var ran, submitting sync.WaitGroup
	for range submitters {
		submitting.Go(func() {
			for range rounds {
				var mine sync.WaitGroup // when it is done, the pool is idle or about to be
				for range 3 {
					mine.Add(1)
					ran.Add(1)
					assert.NoError(t, p.Submit(do(func(schedulers.Worker) { mine.Done(); ran.Done() }), schedulers.Hint{}))
				}
				mine.Wait()
			}
		})
	}
	submitting.Wait()
	ran.Wait()
	require.NoError(t, p.Shutdown(context.Background()))
	assert.EqualValues(t, 3*rounds*submitters, p.Metrics().Completed)
}
