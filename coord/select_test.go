package coord

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// chosen requires that a select ends without waiting.
func chosen(t *testing.T, cases ...Case) int {
	t.Helper()
	i, err := Select(endless, cases...)
	require.NoError(t, err)
	return i
}

func TestSelectTakesTheFirstThatIsReadyAndLeavesTheOthers(t *testing.T) {
	a, b := NewUnbounded[int](), NewUnbounded[int]()
	var fromA, fromB int
	cases := []Case{OnReceive(a, &fromA), OnReceive(b, &fromB), Default()}
	assert.Equal(t, 2, chosen(t, cases...))
	require.NoError(t, b.TrySend(1))
	assert.Equal(t, 1, chosen(t, cases...))
	assert.Equal(t, 1, fromB)
	require.NoError(t, a.TrySend(2))
	require.NoError(t, b.TrySend(3))
	assert.Equal(t, 0, chosen(t, cases...))
	assert.Equal(t, 2, fromA)
	assert.Equal(t, []int{0, 1}, []int{a.Len(), b.Len()})
	assert.Equal(t, 1, chosen(t, OnReceive[int](a, nil), OnReceive[int](b, nil)), "an element may be dropped")
}

func TestSelectOfJobsAndOfNothing(t *testing.T) {
	open, ended := job.NewSource[int](), job.FromError[string](errReason)
	assert.Equal(t, 1, chosen(t, OnEnd(open.Job()), OnEnd(ended)))
	open.TrySetResult(1)
	assert.Equal(t, 0, chosen(t, OnEnd(open.Job()), OnEnd(ended)))
	assert.Equal(t, 0, chosen(t, OnEnd(nil)))
	assert.Equal(t, 0, chosen(t, OnEnd((*job.Job[int])(nil))))
	assert.Equal(t, 1, chosen(t, OnReceive[int](nil, nil), OnTimeout(0)))
	assert.Equal(t, 1, chosen(t, Case{}, OnTimeout(-time.Second)))
}

func TestSelectOfAClosedChannel(t *testing.T) {
	c := NewUnbounded[int]()
	require.NoError(t, c.TrySend(1))
	c.CloseCause(errReason)
	v := 0
	assert.Equal(t, 0, chosen(t, OnReceive(c, &v)))
	for _, form := range []func() (int, error){
		func() (int, error) { return Select(endless, OnReceive[int](nil, nil), OnReceive(c, &v)) },
		func() (int, error) {
			return picksAsync(endless, OnReceive[int](nil, nil), OnReceive(c, &v)).Wait(endless)
		},
	} {
		i, err := form()
		require.ErrorIs(t, err, ErrClosed)
		require.ErrorIs(t, err, errReason)
		assert.Equal(t, 1, i, "the case with the error")
	}
	assert.Equal(t, 1, v)
}

// picks is a machine's select.
//
//movenext:async
func picks(ctx context.Context, cases ...Case) (int, error) {
	i, err := Select(ctx, cases...)
	return i, err
}

// selects are the forms of a select, each as a job.
var selects = map[string]func(context.Context, ...Case) *job.Job[int]{
	"plain": func(ctx context.Context, cases ...Case) *job.Job[int] {
		return job.Run(ctx, func(ctx context.Context) (int, error) { return Select(ctx, cases...) })
	},
	"machine": picksAsync,
	"async":   SelectAsync,
}

// inBubble runs f for each form in a bubble.
func inBubble(t *testing.T, f func(t *testing.T, ctx context.Context, start func(context.Context, ...Case) *job.Job[int])) {
	for form, start := range selects {
		t.Run(form, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { f(t, withPool(t), start) })
		})
	}
}

// watchersOf returns how many selects wait for c.
func watchersOf(c *Channel[int]) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.watchers.count
}

func TestSelectWaits(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, start func(context.Context, ...Case) *job.Job[int]) {
		for name, c := range map[string]struct {
			serve func(a, b *Channel[int], s *job.Source[int])
			want  int
		}{
			"the first channel":  {func(a, _ *Channel[int], _ *job.Source[int]) { _ = a.TrySend(7) }, 0},
			"the second channel": {func(_, b *Channel[int], _ *job.Source[int]) { _ = b.TrySend(7) }, 1},
			"a sender that waits": {func(_, b *Channel[int], _ *job.Source[int]) {
				b.SendAsync(endless, 7)
			}, 1},
			"the job": {func(_, _ *Channel[int], s *job.Source[int]) { s.TrySetResult(7) }, 2},
			"time":    {func(_, _ *Channel[int], _ *job.Source[int]) { time.Sleep(time.Minute) }, 3},
		} {
			a, b, s := NewUnbounded[int](), NewRendezvous[int](), job.NewSource[int]()
			if name == "the second channel" {
				b = NewBounded[int](1, WaitForRoom)
			}
			began := time.Now()
			var v int
			j := start(ctx, OnReceive(a, &v), OnReceive(b, &v), OnEnd(s.Job()), OnTimeout(time.Minute))
			synctest.Wait()
			pending(t, j)
			assert.Equal(t, []int{1, 1}, []int{watchersOf(a), watchersOf(b)})
			c.serve(a, b, s)
			i, err := j.Wait(endless)
			require.NoError(t, err)
			assert.Equal(t, c.want, i, name)
			if i < 2 {
				assert.Equal(t, 7, v, name)
			}
			if i == 3 {
				assert.Equal(t, time.Minute, time.Since(began))
			}
			assert.Equal(t, []int{0, 0, 0}, []int{watchersOf(a), watchersOf(b), a.Len() + b.Len()}, name)
			s.TrySetResult(1)
		}
	})
}

func TestAContextEndsASelect(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, start func(context.Context, ...Case) *job.Job[int]) {
		for _, cases := range [][]Case{nil, {Case{}}, {OnReceive[int](NewUnbounded[int](), nil)}, {OnTimeout(time.Hour)}} {
			within, cancel := context.WithTimeoutCause(ctx, time.Second, errReason)
			began := time.Now()
			j := start(within, cases...)
			<-j.Done()
			require.ErrorIs(t, j.Err(), context.DeadlineExceeded)
			require.ErrorIs(t, j.Err(), errReason)
			assert.Equal(t, time.Second, time.Since(began))
			i, err := Select(within, Default())
			require.ErrorIs(t, err, errReason, "a context that has ended comes first")
			assert.Equal(t, -1, i)
			cancel()
		}
	})
}

// A select that was notified of an element which another receiver took waits again.
func TestSelectLooksAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, start func(context.Context, ...Case) *job.Job[int]) {
		c := NewUnbounded[int]()
		var v int
		j := start(ctx, OnReceive(c, &v), OnTimeout(time.Hour))
		for range 3 {
			synctest.Wait()
			require.NoError(t, c.TrySend(1))
			if _, err := c.TryReceive(); err != nil {
				break // the select was faster
			}
		}
		synctest.Wait()
		_ = c.TrySend(2)
		i, err := j.Wait(endless)
		require.NoError(t, err)
		assert.Equal(t, 0, i)
		assert.Positive(t, v)
	})
}

// A receiver that waits for the channel is served before a select that watches it.
func TestAReceiverComesBeforeASelect(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, start func(context.Context, ...Case) *job.Job[int]) {
		c := NewUnbounded[int]()
		j := start(ctx, OnReceive[int](c, nil))
		synctest.Wait()
		waiting := takesOneAsync(ctx, c) // in the queue: not without the lock, past the watcher
		synctest.Wait()
		require.NoError(t, c.TrySend(1))
		v, err := waiting.Wait(endless)
		require.NoError(t, err)
		assert.Equal(t, 1, v)
		synctest.Wait()
		pending(t, j)
		require.NoError(t, c.TrySend(2))
		_, err = j.Wait(endless)
		require.NoError(t, err)
	})
}

//movenext:async
func takesOne(ctx context.Context, c *Channel[int]) (int, error) {
	v, err := c.Receive(ctx)
	return v, err
}

// merges takes from several channels until each is closed.
//
//movenext:async
func merges(ctx context.Context, to *sync.Map, from ...*Channel[int]) error {
	cases, open := make([]Case, len(from)), len(from)
	var v int
	for i, c := range from {
		cases[i] = OnReceive(c, &v)
	}
	for open > 0 {
		i, err := Select(ctx, cases...)
		if err != nil && i < 0 {
			return err
		}
		if err != nil {
			cases[i] = Case{}
			open--
			continue
		}
		if _, twice := to.LoadOrStore(v, true); twice {
			return errReason
		}
	}
	return nil
}

// TestSelectsLoseNothing lets selects, receivers and senders compete on three channels.
func TestSelectsLoseNothing(t *testing.T) {
	const elements = 300
	for _, procs := range manyProcs {
		t.Run(procs.String(), func(t *testing.T) {
			procs.use(t)
			workers := pool.New(pool.Workers(4, 4))
			ctx := schedulers.With(endless, workers)
			channels := []*Channel[int]{NewUnbounded[int](), NewRendezvous[int](), NewBounded[int](2, WaitForRoom)}
			var got sync.Map
			var received atomic.Int64
			all := []*job.Job[job.Void]{
				mergesAsync(ctx, &got, channels...),
				mergesAsync(ctx, &got, channels[2], channels[1], channels[0]),
				job.Go(ctx, func(ctx context.Context) error { return merges(ctx, &got, channels...) }),
			}
			for i, c := range channels {
				all = append(all, job.Go(ctx, func(ctx context.Context) error {
					for range elements / 10 { // a plain receiver among them
						if v, err := c.Receive(ctx); err == nil {
							got.Store(v, true)
						}
					}
					return nil
				}))
				random := rand.New(rand.NewPCG(1, uint64(i)))
				all = append(all, job.Go(ctx, func(ctx context.Context) error {
					defer c.Close()
					for n := range elements {
						if random.IntN(10) == 0 {
							job.Yield()
						}
						if err := c.Send(ctx, i*elements+n); err != nil {
							return err
						}
					}
					return nil
				}))
			}
			_, err := job.WhenAll(all...).Wait(endless)
			require.NoError(t, err)
			got.Range(func(any, any) bool { received.Add(1); return true })
			assert.EqualValues(t, len(channels)*elements, received.Load())
			require.NoError(t, workers.Shutdown(endless))
		})
	}
}

// A machine whose select always finds something yields nevertheless.
func TestASelectThatNeverWaitsGivesWay(t *testing.T) {
	one := pool.New(pool.Workers(1, 1))
	ctx := schedulers.With(endless, one)
	var other atomic.Bool
	j := spinsAsync(ctx, &other)
	job.Go(ctx, func(context.Context) error { other.Store(true); return nil })
	_, err := j.Wait(endless)
	require.NoError(t, err)
	require.NoError(t, one.Shutdown(endless))
}

//movenext:async
func spins(ctx context.Context, until *atomic.Bool) error {
	job.Yield()
	for !until.Load() {
		if _, err := Select(ctx, Default()); err != nil {
			return err
		}
	}
	return nil
}
