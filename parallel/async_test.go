package parallel

import (
	"context"
	"iter"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// under are jobs under way that a test completes by hand.
type under struct {
	mu   sync.Mutex
	jobs map[int]*job.Source[int]
	ctx  context.Context // the bodies'
	most int
}

func newUnder() *under { return &under{jobs: map[int]*job.Source[int]{}} }

func (u *under) body(ctx context.Context, i int) *job.Job[int] {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ctx = ctx
	s := job.NewSource[int]()
	u.jobs[i] = s
	u.most = max(u.most, len(u.jobs))
	return s.Job()
}

// await returns when the bodies of exactly these items are under way.
func (u *under) await(items ...int) {
	for !u.are(items) {
		runtime.Gosched()
	}
}

func (u *under) are(items []int) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, i := range items {
		if u.jobs[i] == nil {
			return false
		}
	}
	return len(u.jobs) == len(items)
}

// take forgets the job of an item and returns its source.
func (u *under) take(i int) *job.Source[int] {
	u.mu.Lock()
	defer u.mu.Unlock()
	s := u.jobs[i]
	delete(u.jobs, i)
	return s
}

// forms are a slice and a sequence of the same items.
func forms(items []int, test func(name string, start func(context.Context, func(context.Context, int) *job.Job[int], ...Option) *job.Job[[]int])) {
	test("slice", func(ctx context.Context, body func(context.Context, int) *job.Job[int], opts ...Option) *job.Job[[]int] {
		return MapAsync(ctx, items, body, opts...)
	})
	test("sequence", func(ctx context.Context, body func(context.Context, int) *job.Job[int], opts ...Option) *job.Job[[]int] {
		return MapAsync(ctx, slices.Values(items), body, opts...)
	})
}

type starter = func(context.Context, func(context.Context, int) *job.Job[int], ...Option) *job.Job[[]int]

func TestAsyncBodiesAsManyAtATimeAsTheDegreeSays(t *testing.T) {
	ctx := context.Background()
	forms(ints(5), func(name string, start starter) {
		u := newUnder()
		j := start(ctx, u.body, Degree(2))
		u.await(0, 1)
		u.take(1).TrySetResult(10)
		u.await(0, 2)
		u.take(2).TrySetResult(20)
		u.await(0, 3)
		u.take(0).TrySetResult(0)
		u.await(3, 4)
		u.take(3).TrySetResult(30)
		assert.False(t, j.IsCompleted(), name)
		u.take(4).TrySetResult(40)
		got, err := j.Wait(ctx)
		require.NoError(t, err)
		assert.Equal(t, []int{0, 10, 20, 30, 40}, got, name)
		assert.Equal(t, 2, u.most)
	})
}

// When a body begins, the previous result has been kept, so the next job is completed only
// then. Without the further bodies the loop could see two complete jobs in any order.
func TestAsyncResultsAsCompleted(t *testing.T) {
	forms(ints(6), func(name string, start starter) {
		u := newUnder()
		j := start(context.Background(), u.body, Degree(3), AsCompleted())
		u.await(0, 1, 2)
		u.take(2).TrySetResult(2)
		u.await(0, 1, 3)
		u.take(0).TrySetResult(0)
		u.await(1, 3, 4)
		u.take(1).TrySetResult(1)
		u.await(3, 4, 5)
		for _, i := range []int{3, 4, 5} {
			u.take(i).TrySetResult(i)
		}
		got, err := j.Wait(context.Background())
		require.NoError(t, err)
		assert.Equal(t, []int{2, 0, 1}, got[:3], name)
		assert.ElementsMatch(t, ints(6), got, name)
	})
}

func TestAsyncBodiesWhoseJobsAreComplete(t *testing.T) {
	forms(ints(1000), func(name string, start starter) {
		for _, degree := range []int{1, 3, 1000} {
			got, err := start(context.Background(), func(_ context.Context, i int) *job.Job[int] { return job.FromResult(i) }, Degree(degree)).Wait(context.Background())
			require.NoError(t, err)
			require.Equal(t, ints(1000), got, name)
		}
	})
}

func TestAThousandAsyncBodiesHoldNoGoroutine(t *testing.T) {
	p := pool.New(pool.Workers(1, 1))
	ctx := schedulers.With(context.Background(), p)
	u := newUnder()
	before := runtime.NumGoroutine()
	j := ForEachAsync(ctx, ints(1000), u.body, Degree(1000))
	u.await(ints(1000)...)
	for runtime.NumGoroutine() > before { // the worker ends, since it has nothing to do
		runtime.Gosched()
	}
	for i := range 1000 {
		u.take(i).TrySetResult(i)
	}
	_, err := j.Wait(context.Background())
	require.NoError(t, err)
	require.NoError(t, p.Shutdown(context.Background()))
}

func TestAsyncFailureStopsTheRestAndWaitsForWhatIsUnderWay(t *testing.T) {
	failures := map[string]func(u *under, i int) *job.Job[int]{
		"error": func(*under, int) *job.Job[int] { return job.FromError[int](errBody) },
		"panic": func(*under, int) *job.Job[int] { panic(errBody) },
		"exit":  func(*under, int) *job.Job[int] { runtime.Goexit(); return nil },
		"nil":   func(*under, int) *job.Job[int] { return nil },
	}
	wants := map[string]error{"error": errBody, "panic": errBody, "exit": job.ErrGoexit, "nil": job.ErrNilJob}
	for failure, fail := range failures {
		forms(ints(100), func(name string, start starter) {
			u := newUnder()
			j := start(context.Background(), func(ctx context.Context, i int) *job.Job[int] {
				if i == 1 {
					u.await(0)
					return fail(u, i)
				}
				return u.body(ctx, i)
			}, Degree(2))
			u.await(0)
			<-u.ctx.Done()
			assert.ErrorIs(t, context.Cause(u.ctx), wants[failure])
			assert.False(t, j.IsCompleted(), "a body is under way")
			u.take(0).TrySetResult(0)
			got, err := j.Wait(context.Background())
			assert.ErrorIs(t, err, wants[failure], "%s, %s", failure, name)
			assert.Equal(t, job.Faulted, j.Status())
			assert.Nil(t, got)
			assert.Equal(t, 1, u.most, "no further body has begun")
		})
	}
}

func TestAsyncContextEnds(t *testing.T) {
	forms(ints(100), func(name string, start starter) {
		ctx, cancel := context.WithCancel(context.Background())
		u := newUnder()
		j := start(ctx, u.body, Degree(1))
		u.await(0)
		cancel()
		<-u.ctx.Done()
		u.take(0).TrySetResult(0)
		_, err := j.Wait(context.Background())
		assert.ErrorIs(t, err, context.Canceled, name)
		assert.Equal(t, job.Canceled, j.Status())

		j = start(ctx, u.body)
		assert.Equal(t, job.Canceled, j.Status(), "before it began")
	})
}

func TestAsyncLastBodyEndsAfterTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	u := newUnder()
	j := MapAsync(ctx, ints(1), u.body)
	u.await(0)
	cancel()
	u.take(0).TrySetResult(7)
	got, err := j.Wait(context.Background())
	require.NoError(t, err, "all bodies have succeeded")
	assert.Equal(t, []int{7}, got)
}

func TestAsyncWithoutItemsAndWithBadInput(t *testing.T) {
	ctx := context.Background()
	forms(nil, func(name string, start starter) {
		got, err := start(ctx, func(context.Context, int) *job.Job[int] { panic("must not run") }).Wait(ctx)
		require.NoError(t, err, name)
		assert.Empty(t, got)
		_, err = start(ctx, nil).Wait(ctx)
		assert.ErrorIs(t, err, ErrNilFunc)
		_, err = start(ctx, newUnder().body, Degree(-1)).Wait(ctx)
		assert.ErrorIs(t, err, ErrOption)
	})
	_, err := ForEachAsync(ctx, iter.Seq[int](nil), newUnder().body).Wait(ctx)
	assert.ErrorIs(t, err, ErrNilFunc)
}

func TestAsyncSchedulerThatRefuses(t *testing.T) {
	forms(ints(3), func(name string, start starter) {
		for _, s := range []schedulers.Scheduler{refusing{}, panicking{}} {
			_, err := start(schedulers.With(context.Background(), s), newUnder().body).Wait(context.Background())
			assert.Error(t, err, name)
		}
	})
}

// once is a scheduler that takes a limited number of work items.
type once struct{ left atomic.Int32 }

func (o *once) Submit(w schedulers.Work, h schedulers.Hint) error {
	if o.left.Add(-1) < 0 {
		return schedulers.ErrShutdown
	}
	go w.Run(h.From)
	return nil
}

func TestAsyncSchedulerThatEndsWhileBodiesAreUnderWay(t *testing.T) {
	forms(ints(3), func(name string, start starter) {
		s := &once{}
		s.left.Store(1)
		u := newUnder()
		j := start(schedulers.With(context.Background(), s), u.body, Degree(1))
		u.await(0)
		u.take(0).TrySetResult(0)
		_, err := j.Wait(context.Background())
		assert.ErrorIs(t, err, schedulers.ErrShutdown, name)
	})
}

func TestAsyncLanesThatAreRefusedAreNotMissed(t *testing.T) {
	s := &once{}
	s.left.Store(1)
	got, err := MapAsync(schedulers.With(context.Background(), s), ints(100), func(_ context.Context, i int) *job.Job[int] {
		return job.FromResult(i)
	}, Degree(8)).Wait(context.Background())
	require.NoError(t, err)
	assert.Equal(t, ints(100), got)
}

func TestAsyncLanesThatAreAbandoned(t *testing.T) {
	forms(ints(3), func(name string, start starter) {
		s := &held{}
		j := start(schedulers.With(context.Background(), s), newUnder().body, Degree(1))
		for s.len() == 0 {
			runtime.Gosched()
		}
		s.take().Abandon(schedulers.ErrShutdown)
		_, err := j.Wait(context.Background())
		assert.ErrorIs(t, err, schedulers.ErrShutdown, name)
	})
}

func TestAsyncSequencePanicsOrExits(t *testing.T) {
	body := func(_ context.Context, i int) *job.Job[int] { return job.FromResult(i) }
	_, err := ForEachAsync(context.Background(), func(yield func(int) bool) { yield(1); panic(errBody) }, body).Wait(context.Background())
	assert.ErrorIs(t, err, errBody)
	_, err = ForEachAsync(context.Background(), func(yield func(int) bool) { yield(1); runtime.Goexit() }, body).Wait(context.Background())
	assert.ErrorIs(t, err, job.ErrGoexit)
}

func TestAsyncSequenceIsAskedOnlyWhenThereIsALane(t *testing.T) {
	c, u := count{n: 100}, newUnder()
	j := ForEachAsync(context.Background(), c.all(), u.body, Degree(2))
	u.await(0, 1)
	assert.EqualValues(t, 2, c.asked.Load())
	u.take(0).TrySetError(errBody)
	<-u.ctx.Done() // the failure is recorded: a lane that is free now gets no item
	u.take(1).TrySetResult(0)
	_, err := j.Wait(context.Background())
	assert.Equal(t, errBody, err)
	assert.EqualValues(t, 2, c.asked.Load())
	assert.True(t, c.ended.Load(), "the sequence has ended before the job did")
}

func TestAsyncBodiesThatSleepOnASchedulerOfOne(t *testing.T) {
	p := pool.New(pool.Workers(1, 1))
	ctx := schedulers.With(context.Background(), p)
	forms(ints(200), func(name string, start starter) {
		got, err := start(ctx, func(ctx context.Context, i int) *job.Job[int] {
			return job.Run(ctx, func(context.Context) (int, error) { runtime.Gosched(); return i, nil })
		}, Degree(50)).Wait(context.Background())
		require.NoError(t, err, name)
		assert.Equal(t, ints(200), got)
	})
	require.NoError(t, p.Shutdown(context.Background()))
}
