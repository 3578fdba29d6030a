package roundrobin_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/roundrobin"
)

// A queue is created, filled, and closed at once: its items still run, and then it is
// removed.
func TestABatchThatIsClosedAtOnceRunsCompletely(t *testing.T) {
	s := roundrobin.New(pool.New())
	q := create(t, s)
	var ran atomic.Int64
	for range 100 {
		submit(t, q, func() { ran.Add(1) })
	}
	q.Close()
	require.ErrorIs(t, q.Submit(&do{}, schedulers.Hint{}), schedulers.ErrShutdown)
	<-q.Done()
	assert.Equal(t, int64(100), ran.Load())
	assert.Equal(t, []*roundrobin.Queue{s.Default()}, s.Queues())
	assert.Equal(t, uint64(100), s.Metrics().Completed, "the queue's counters stay in the sums")
	require.NoError(t, s.Shutdown(context.Background()))
}

func TestClosingTwiceIsHarmless(t *testing.T) {
	beneath := manual.New()
	s := roundrobin.New(beneath)
	q := create(t, s)
	submit(t, q, func() {})
	q.Close()
	q.Close()
	assert.Len(t, s.Queues(), 2, "it still has an item")
	beneath.RunAll()
	q.Close()
	assert.Len(t, s.Queues(), 1)
	require.NoError(t, q.Shutdown(context.Background()))
	assert.Len(t, s.Queues(), 1)
}

func TestNoQueueIsCreatedAfterShutdown(t *testing.T) {
	s := roundrobin.New(manual.New())
	require.NoError(t, s.Shutdown(context.Background()))
	_, err := s.CreateQueue()
	require.ErrorIs(t, err, schedulers.ErrShutdown)
	assert.Empty(t, s.Queues())
}

// Four submitters race a Close: exactly the accepted work runs, whichever is first. The
// published scheduler on which this one is modelled can lose work that is submitted at that
// moment.
func TestCloseRacingSubmitLosesNothing(t *testing.T) {
	beneath := goroutine.New()
	s := roundrobin.New(beneath)
	for range 60 {
		q := create(t, s)
		var accepted, ran atomic.Int64
		var submitters sync.WaitGroup
		for range 4 {
			submitters.Go(func() {
				for q.Submit(&do{run: func() { ran.Add(1) }}, schedulers.Hint{}) == nil {
					accepted.Add(1)
					runtime.Gosched()
				}
			})
		}
		for ran.Load() < 3 {
			runtime.Gosched()
		}
		q.Close()
		<-q.Done()
		submitters.Wait()
		require.Equal(t, accepted.Load(), ran.Load())
	}
	assert.Len(t, s.Queues(), 1)
	require.NoError(t, s.Shutdown(context.Background()))
	require.NoError(t, beneath.Shutdown(context.Background()))
}

func TestShutdownEmptiesOneQueueOnly(t *testing.T) {
	beneath := manual.New()
	s := roundrobin.New(beneath)
	kept, dropped := create(t, s), create(t, s)
	var order log
	order.batch(t, kept, "k", 2)
	lost := submit(t, dropped, nil)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	require.Equal(t, cause, dropped.Shutdown(ctx))
	assert.Equal(t, schedulers.ErrShutdown, lost.abandoned)
	assert.Equal(t, 3, beneath.RunAll(), "one ticket finds nothing to run")
	assert.Equal(t, "kk", order.String())
	require.NoError(t, s.Shutdown(context.Background()))
	assert.Equal(t, schedulers.Metrics{Submitted: 3, Completed: 2, Abandoned: 1}, s.Metrics())
}

// An abandoned ticket means one run less. Queue b has the turn, so its item is lost.
func TestAnAbandonedTicketCostsTheCurrentQueue(t *testing.T) {
	beneath := manual.New()
	s := roundrobin.New(beneath)
	a, b := create(t, s), create(t, s)
	var order log
	submit(t, a, func() { order.WriteString("a") })
	lost := submit(t, b, nil)
	beneath.Step()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, beneath.Shutdown(ctx), context.Canceled)
	assert.Equal(t, "a", order.String())
	require.ErrorIs(t, lost.abandoned, schedulers.ErrShutdown)
	require.NoError(t, s.Shutdown(context.Background()))
}

func TestARefusalBeneathLeavesNothingBehind(t *testing.T) {
	beneath := manual.New()
	require.NoError(t, beneath.Shutdown(context.Background()))
	s := roundrobin.New(beneath)
	err := s.Submit(&do{}, schedulers.Hint{})
	require.ErrorIs(t, err, schedulers.ErrShutdown)
	assert.EqualError(t, err, "roundrobin: refused by the scheduler beneath: manual: schedulers: scheduler is shut down")
	assert.Empty(t, s.Snapshot())
	require.ErrorIs(t, roundrobin.New(nil).Submit(&do{}, schedulers.Hint{}), schedulers.ErrRejected)
	require.NoError(t, s.Shutdown(context.Background()))
	assert.Equal(t, schedulers.Metrics{Refused: 1}, s.Metrics())
}

type tenant struct{}

// The item is queued with one context and run much later, on a goroutine that has
// nothing to do with it.
func TestTheContextIsTheOneOfTheQueuing(t *testing.T) {
	beneath := manual.New()
	s := roundrobin.New(beneath)
	q := create(t, s)
	ask := func(ctx context.Context) (any, error) { return ctx.Value(tenant{}), nil }
	ann := job.Run(context.WithValue(context.Background(), tenant{}, "ann"), ask, job.On(q))
	bob := job.Run(context.WithValue(context.Background(), tenant{}, "bob"), ask, job.On(s))
	beneath.RunAll()
	for want, j := range map[string]*job.Job[any]{"ann": ann, "bob": bob} {
		got, err := j.GetResult()
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

func TestWorkSeesItsQueueAsItsHome(t *testing.T) {
	beneath := manual.New()
	s := roundrobin.New(beneath)
	q := create(t, s)
	home := job.Run(context.Background(), func(ctx context.Context) (schedulers.Scheduler, error) {
		return schedulers.WorkerFrom(ctx).Scheduler(), nil
	}, job.On(q))
	beneath.RunAll()
	got, err := home.GetResult()
	require.NoError(t, err)
	assert.Same(t, q, got)
}

// On one worker of a pool, all work of a queue sees one worker, and that of another queue another
// one. A context keeps its own for good.
func TestQueuesSeeWorkersOfTheirOwn(t *testing.T) {
	beneath := pool.New(pool.Workers(1, 1))
	s := roundrobin.New(beneath)
	queues := []*roundrobin.Queue{create(t, s), create(t, s)}
	var kept [4]context.Context
	for i := range kept {
		_, err := job.Run(context.Background(), func(ctx context.Context) (int, error) {
			kept[i] = ctx
			return 0, nil
		}, job.On(queues[i%2])).Await()
		require.NoError(t, err)
	}
	for i, ctx := range kept {
		assert.Same(t, queues[i%2], schedulers.WorkerFrom(ctx).Scheduler())
	}
	require.NoError(t, s.Shutdown(context.Background()))
	require.NoError(t, beneath.Shutdown(context.Background()))
}

// Work of one queue that runs on one worker, one after another, sees one worker: none is made for
// each.
func TestAQueueHasOneWorkerForEachBeneath(t *testing.T) {
	beneath := pool.New(pool.Workers(1, 1))
	s := roundrobin.New(beneath)
	full := make(chan struct{})
	var kept [3]schedulers.Worker
	var jobs []*job.Job[int]
	for i := range kept {
		jobs = append(jobs, job.Run(context.Background(), func(ctx context.Context) (int, error) {
			<-full
			kept[i] = schedulers.WorkerFrom(ctx)
			return 0, nil
		}, job.On(s)))
	}
	close(full)
	for _, j := range jobs {
		_, err := j.Await()
		require.NoError(t, err)
	}
	assert.Same(t, kept[0], kept[1])
	assert.Same(t, kept[0], kept[2])
	require.NoError(t, s.Shutdown(context.Background()))
	require.NoError(t, beneath.Shutdown(context.Background()))
}
