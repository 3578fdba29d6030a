package coord_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/inline"
	"github.com/movenext/movenext/schedulers/pool"
)

// counted is a context that counts the watchers of its end.
type counted struct {
	context.Context
	done        chan struct{}
	asked, left int
	tell        []func()
}

func newCounted(parent context.Context) *counted {
	return &counted{Context: parent, done: make(chan struct{})}
}

func (c *counted) Done() <-chan struct{} { return c.done }

func (c *counted) Err() error {
	select {
	case <-c.done:
		return context.Canceled
	default:
		return nil
	}
}

// AfterFunc is the method that package context looks for before it starts a goroutine.
func (c *counted) AfterFunc(f func()) (stop func() bool) {
	c.asked++
	c.left++
	c.tell = append(c.tell, f)
	i := len(c.tell) - 1
	return func() bool {
		if c.tell[i] == nil {
			return false
		}
		c.tell[i] = nil
		c.left--
		return true
	}
}

// end notifies all watchers.
func (c *counted) end() {
	close(c.done)
	for i, f := range c.tell {
		if c.tell[i] = nil; f != nil {
			c.left--
			f()
		}
	}
}

// takes receives n values, and then waits for another operation, or ends by calling end.
//
//movenext:async
func takes(ctx context.Context, in *coord.Channel[int], n int, then *job.Job[int], end func()) (sum int, err error) {
	for range n {
		v, err := in.Receive(ctx)
		if err != nil {
			return sum, err
		}
		sum += v
	}
	if then != nil {
		return then.Await()
	}
	end()
	return sum, nil
}

// A machine with many waits registers twice with its context: for its first wait, and for
// all others. It leaves nothing behind in the context when it waits for something else.
func TestAMachineWatchesItsContextOnceForManyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := pool.New(pool.Workers(1, 1))
		ctx := newCounted(schedulers.With(context.Background(), one))
		in, then := coord.NewRendezvous[int](), job.NewSource[int]()
		j := takesAsync(ctx, in, 10, then.Job(), nil)
		for i := range 10 {
			synctest.Wait()
			assert.Equal(t, min(i+1, 2), ctx.asked)
			assert.Equal(t, 1, ctx.left)
			require.NoError(t, in.Send(context.Background(), 1))
		}
		synctest.Wait()
		assert.False(t, j.IsCompleted())
		assert.Zero(t, ctx.left, "it waits for a job")
		then.TrySetResult(7)
		v, err := j.Await()
		require.NoError(t, err)
		assert.Equal(t, 7, v)
		require.NoError(t, one.Shutdown(context.Background()))
	})
}

func TestAMachineThatWaitsAgainGivesUpWhenItsContextEnds(t *testing.T) {
	for _, waits := range []int{1, 2, 3, 10} {
		synctest.Test(t, func(t *testing.T) {
			one := pool.New(pool.Workers(1, 1))
			ctx, in := newCounted(schedulers.With(context.Background(), one)), coord.NewRendezvous[int]()
			j := takesAsync(ctx, in, 100, nil, nil)
			for range waits - 1 {
				synctest.Wait()
				require.NoError(t, in.Send(context.Background(), 1))
			}
			synctest.Wait()
			ctx.end()
			_, err := j.Await()
			require.ErrorIs(t, err, context.Canceled)
			assert.Equal(t, job.Canceled, j.Status())
			assert.Equal(t, min(waits, 2), ctx.asked)
			require.NoError(t, one.Shutdown(context.Background()))
		})
	}
}

// atEnd checks when a job ends, before its worker does anything else.
type atEnd struct {
	node continuation.Node
	look func()
	left int
}

// Completed implements continuation.Target.
func (a *atEnd) Completed(schedulers.Worker) continuation.Chain {
	a.look()
	return continuation.Chain{}
}

// However a machine ends, nothing of it is left in its context when its job has ended.
func TestTheWatchOfAMachineEndsWithIt(t *testing.T) {
	for name, end := range map[string]func(){
		"return": func() {},
		"panic":  func() { panic("end") },
		"Goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				one := pool.New(pool.Workers(1, 1))
				ctx, in := newCounted(schedulers.With(context.Background(), one)), coord.NewRendezvous[int]()
				j := takesAsync(ctx, in, 3, nil, end)
				var told atEnd
				told.look = func() { told.left = ctx.left }
				told.left = -1
				told.node.Prepare(&told)
				require.True(t, j.Register(&told.node))
				for range 3 {
					synctest.Wait() // it waits
					require.NoError(t, in.Send(context.Background(), 1))
				}
				_, _ = j.Await()
				synctest.Wait()
				assert.Equal(t, 2, ctx.asked)
				assert.Zero(t, told.left)
				require.NoError(t, one.Shutdown(context.Background()))
			})
		})
	}
}

func TestAWatchFollowsTheContextsOfAMachine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all []context.Context
		for range 4 { // the machine receives twice under each
			ctx := newCounted(context.Background())
			all = append(all, ctx, ctx)
		}
		end := func(i int) { all[2*i].(*counted).end() }
		in := coord.NewRendezvous[int]()
		j := receivesUnderAsync(context.Background(), all, in)
		for range 4 {
			synctest.Wait()
			require.NoError(t, in.Send(context.Background(), 1))
		}
		synctest.Wait() // it waits under the third
		end(0)
		end(3)
		synctest.Wait()
		require.NoError(t, in.Send(context.Background(), 1))
		synctest.Wait()
		assert.False(t, j.IsCompleted(), "the contexts of other waits have ended, and it waits under the third again")
		end(2)
		_, err := j.Await()
		require.ErrorIs(t, err, context.Canceled)
		synctest.Wait()
		for i, ctx := range all {
			assert.Zero(t, ctx.(*counted).left, "context %d", i)
		}
	})
}

// receivesUnder receives once under each context.
//
//movenext:async
func receivesUnder(home context.Context, all []context.Context, in *coord.Channel[int]) (sum int, err error) {
	for _, ctx := range all {
		v, err := in.Receive(ctx)
		if err != nil {
			return sum, err
		}
		sum += v
	}
	return sum, nil
}

// The context of a wait ends, and another watcher, which is notified first, serves the
// wait. The machine already waits for the next element when the watcher of its first
// wait is notified.
func TestAWaitIsNotEndedByTheContextOfTheOneBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	other, stop := context.WithCancel(context.Background())
	defer stop()
	in := coord.NewRendezvous[int]()
	j := receivesUnderAsync(schedulers.With(context.Background(), inline.New()), []context.Context{ctx, other}, in)
	// The last watcher is notified first.
	sleep := job.SleepAsync(ctx, time.Hour)
	var served atEnd
	served.look = func() { assert.NoError(t, in.TrySend(1)) }
	served.node.Prepare(&served)
	require.True(t, sleep.Register(&served.node))
	last := job.ContinueWith(context.WithoutCancel(ctx), sleep, func(context.Context, *job.Job[job.Void]) (int, error) { return 0, nil })
	cancel()
	_, _ = last.Await()
	runtime.Gosched()
	assert.False(t, j.IsCompleted())
	require.NoError(t, in.TrySend(2))
	v, err := j.Await()
	require.NoError(t, err)
	assert.Equal(t, 3, v)
}

// endedContext is a context that calls end inside Done.
type endedContext struct {
	*counted
	end func()
}

func (e *endedContext) Done() <-chan struct{} {
	e.end()
	return e.counted.Done()
}

// A machine keeps the watch of a context, and the context ends before the machine waits
// under another one.
func TestAWatchWhoseContextHasEndedWatchesNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := newCounted(context.Background())
		over := false
		second := &endedContext{newCounted(context.Background()), func() {
			if !over {
				over = true
				first.end()
				synctest.Wait() // until the watch is notified
			}
		}}
		in := coord.NewRendezvous[int]()
		home := schedulers.With(context.Background(), inline.New())
		j := receivesUnderAsync(home, []context.Context{first, first, second, second}, in)
		for range 3 {
			assert.Equal(t, job.WaitingForActivation, j.Status())
			require.NoError(t, in.TrySend(1))
		}
		assert.True(t, over)
		assert.False(t, j.IsCompleted())
		second.counted.end()
		v, err := j.Await()
		require.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, 3, v)
	})
}
