package job

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhenEachYieldsInTheOrderOfCompletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ss, js := sources(3)
		go func() {
			for _, i := range []int{2, 0, 1} {
				time.Sleep(time.Second)
				ss[i].TrySetResult(i)
			}
		}()
		var got []int
		for j, err := range WhenEach(t.Context(), js...) {
			require.NoError(t, err)
			v, _ := j.GetResult()
			got = append(got, v)
		}
		assert.Equal(t, []int{2, 0, 1}, got)
	})
}

func TestWhenEachBeginsWithThoseThatHaveEnded(t *testing.T) {
	ss, js := sources(3)
	ss[2].TrySetResult(2)
	ss[1].TrySetError(errBoom)
	var got []*Job[int]
	for j, err := range WhenEach(t.Context(), js...) {
		require.NoError(t, err)
		got = append(got, j)
		if len(got) == 2 {
			break
		}
	}
	assert.Equal(t, []*Job[int]{js[1], js[2]}, got)
	assert.Zero(t, waitersOf(js[0]), "breaking off leaves nothing behind")
}

func TestWhenEachTellsThatItsContextHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		ss, js := sources(2)
		ss[0].TrySetResult(1)
		var errs []error
		for j, err := range WhenEach(ctx, js...) {
			errs = append(errs, err)
			assert.Equal(t, err != nil, j == nil)
		}
		require.Len(t, errs, 2)
		assert.NoError(t, errs[0])
		var w *WaitError
		assert.ErrorAs(t, errs[1], &w)
		assert.ErrorIs(t, errs[1], context.DeadlineExceeded)
		assert.Zero(t, waitersOf(js[1]))
	})
}

func TestWhenEachOfNothingAndOfNil(t *testing.T) {
	for j, err := range WhenEach[int](t.Context()) {
		t.Fatal("yielded", j, err)
	}
	n := 0
	for j, err := range WhenEach[int](t.Context(), nil, nil) {
		n++
		assert.NoError(t, err)
		assert.Equal(t, ErrNilJob, j.Err())
	}
	assert.Equal(t, 2, n)
}

func TestWhenEachCanBeRangedOverTwice(t *testing.T) {
	each := WhenEach(t.Context(), FromResult(1), FromResult(2))
	for range 2 {
		n := 0
		for _, err := range each {
			require.NoError(t, err)
			n++
		}
		assert.Equal(t, 2, n)
	}
}

func TestTheFirstCallerIsServedFirst(t *testing.T) {
	ss, js := sources(2)
	c := CompletionsOf(js...)
	first, second, third := c.NextAsync(t.Context()), c.NextAsync(t.Context()), c.NextAsync(t.Context())
	ss[1].TrySetResult(1)
	ss[0].TrySetResult(0)
	j, _ := first.GetResult()
	assert.Same(t, js[1], j)
	j, _ = second.GetResult()
	assert.Same(t, js[0], j)
	assert.Equal(t, ErrNoJobs, third.Err(), "there is none for the third")
	assert.Equal(t, ErrNoJobs, c.NextAsync(t.Context()).Err())
}

func TestAJobIsNotLostWithATurnThatGaveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ss, js := sources(1)
		c := CompletionsOf(js...)
		ctx, cancel := context.WithCancel(t.Context())
		gone, stays := c.NextAsync(ctx), c.NextAsync(t.Context())
		cancel()
		synctest.Wait()
		assert.Equal(t, Canceled, gone.Status())
		ss[0].TrySetResult(1)
		j, err := stays.GetResult()
		assert.NoError(t, err)
		assert.Same(t, js[0], j)
	})
}

func TestATurnThatIsGivenItsJobWhileItGivesUp(t *testing.T) {
	_, js := sources(1)
	c := CompletionsOf(js...)
	_, turn := c.ask(t.Context())
	c.mu.Lock()
	given := c.oldestRequest()
	c.mu.Unlock()
	require.Same(t, turn, given)
	assert.False(t, turn.giveUp(context.Canceled), "it is too late")
	turn.end(Completed, js[0], nil).Deliver(nil)
	j, err := turn.promise.job.GetResult()
	assert.NoError(t, err)
	assert.Same(t, js[0], j)
	c.Stop()
}

func TestAnAskedNextWhoseContextHasEndedTakesNothing(t *testing.T) {
	ss, js := sources(1)
	c := CompletionsOf(js...)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Next(ctx)
	assert.ErrorIs(t, err, context.Canceled)
	ss[0].TrySetResult(1)
	j, err := c.Next(ctx)
	assert.NoError(t, err, "a result that is there is handed out, also to a caller without time left")
	assert.Same(t, js[0], j)
}

func TestANextWhoseWaitIsRefusedGivesItsTurnBack(t *testing.T) {
	m := &manual{block: func() (func(), error) { return nil, ErrWouldDeadlock }}
	ss, js := sources(1)
	c := CompletionsOf(js...)
	j := Go(m.ctx(), func(ctx context.Context) error {
		_, err := c.Next(ctx)
		return err
	})
	m.all()
	assert.ErrorIs(t, j.Err(), ErrWouldDeadlock)
	ss[0].TrySetResult(1)
	got, err := c.Next(t.Context())
	assert.NoError(t, err)
	assert.Same(t, js[0], got)
}

func TestStopEndsAllWaits(t *testing.T) {
	_, js := sources(2)
	c := CompletionsOf(js...)
	waiting := c.NextAsync(t.Context())
	c.Stop()
	c.Stop()
	assert.Equal(t, ErrNoJobs, waiting.Err())
	for _, j := range js {
		assert.Zero(t, waitersOf(j))
	}
	_, err := c.Next(t.Context())
	assert.Equal(t, ErrNoJobs, err)
}

func TestStoppedCompletionsKeepNoJob(t *testing.T) {
	ss, js := sources(2)
	c := CompletionsOf(js...)
	gone := weak.Make(js[1])
	stays := ss[0]
	c.Stop()
	ss, js = nil, nil
	runtime.GC()
	assert.Nil(t, gone.Value())
	runtime.KeepAlive(stays)
	runtime.KeepAlive(c)
}

func TestManyConsumersGetEachJobOnce(t *testing.T) {
	for range 50 {
		const n = 32
		ss, js := sources(n)
		c := CompletionsOf(js...)
		var mu sync.Mutex
		got := map[*Job[int]]int{}
		var wg sync.WaitGroup
		for k := range 4 {
			wg.Go(func() {
				for {
					ctx, cancel := context.WithCancel(context.Background())
					if k == 0 {
						go cancel() // one that gives up all the time
					}
					j, err := c.Next(ctx)
					cancel()
					if err == ErrNoJobs {
						return
					}
					if err == nil {
						mu.Lock()
						got[j]++
						mu.Unlock()
					}
				}
			})
		}
		for _, s := range ss {
			wg.Go(func() { s.TrySetResult(1) })
		}
		wg.Wait()
		require.Len(t, got, n)
		for _, times := range got {
			require.Equal(t, 1, times)
		}
	}
}
