package bridge_test

import (
	"context"
	"io"
	"iter"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/job/bridge"
)

// counting yields 0, 1, 2 and so on, and notes what happens.
type counting struct {
	made  int
	ended chan struct{}
}

func (c *counting) seq(yield func(int) bool) {
	defer close(c.ended)
	for i := 0; ; i++ {
		c.made++
		if !yield(i) {
			return
		}
	}
}

func TestPullHandsOutTheElementsInTheirOrder(t *testing.T) {
	p := bridge.Pull(t.Context(), slices.Values([]int{3, 1, 2}))
	var got []int
	for {
		v, err := p.Next(t.Context())
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		got = append(got, v)
	}
	assert.Equal(t, []int{3, 1, 2}, got)
	_, err := p.Next(t.Context())
	assert.Equal(t, io.EOF, err)
	p.Stop()
}

func TestPullMakesAnElementWhenItIsWanted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counting{ended: make(chan struct{})}
		p := bridge.Pull(t.Context(), c.seq)
		synctest.Wait()
		assert.Zero(t, c.made)
		for want := range 3 {
			v, err := p.NextAsync(t.Context()).Await()
			assert.NoError(t, err)
			assert.Equal(t, want, v)
			synctest.Wait()
			assert.Equal(t, want+1, c.made)
		}
		p.Stop()
		<-c.ended
	})
}

func TestStopBeforeTheFirstNextRunsNothing(t *testing.T) {
	p := bridge.Pull(t.Context(), func(func(int) bool) { t.Error("called") })
	p.Stop()
	p.Stop()
	_, err := p.Next(t.Context())
	assert.Equal(t, io.EOF, err)
}

func TestStopEndsAllWaitsThoughTheSequenceContinues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		p := bridge.Pull(t.Context(), func(yield func(int) bool) { <-gate; yield(1) })
		j := p.NextAsync(t.Context())
		synctest.Wait()
		p.Stop()
		_, err := j.Await()
		assert.Equal(t, io.EOF, err)
		close(gate)
	})
}

func TestTheEndOfThePullersContextIsAStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := &counting{ended: make(chan struct{})}
		p := bridge.Pull(ctx, c.seq)
		_, err := p.Next(t.Context())
		assert.NoError(t, err)
		cancel()
		<-c.ended
		_, err = p.Next(t.Context())
		assert.Equal(t, io.EOF, err)
	})
}

func TestAnElementIsNotLostWithARequestThatGaveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		p := bridge.Pull(t.Context(), func(yield func(int) bool) { <-gate; yield(1) })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := p.Next(ctx)
		var w *job.WaitError
		require.ErrorAs(t, err, &w)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		close(gate)
		v, err := p.Next(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, 1, v)
		_, err = p.Next(t.Context())
		assert.Equal(t, io.EOF, err)
	})
}

func failing(how func()) iter.Seq[int] {
	return func(yield func(int) bool) {
		yield(1)
		how()
	}
}

func TestAPanicOfTheSequenceContinuesInTheCaller(t *testing.T) {
	p := bridge.Pull(t.Context(), failing(func() { panic(errBoom) }))
	_, err := p.Next(t.Context())
	require.NoError(t, err)
	assert.PanicsWithValue(t, errBoom, func() { _, _ = p.Next(t.Context()) })
	_, err = p.Next(t.Context())
	assert.Equal(t, io.EOF, err, "once")

	p = bridge.Pull(t.Context(), failing(func() { panic(errBoom) }))
	_, _ = p.Next(t.Context())
	_, err = p.NextAsync(t.Context()).Await()
	var pe *job.PanicError
	assert.ErrorAs(t, err, &pe)
}

func TestAGoexitOfTheSequenceContinuesInTheCaller(t *testing.T) {
	p := bridge.Pull(t.Context(), failing(runtime.Goexit))
	_, _ = p.Next(t.Context())
	var wg sync.WaitGroup
	cameBack := false
	wg.Go(func() {
		_, _ = p.Next(context.Background())
		cameBack = true
	})
	wg.Wait()
	assert.False(t, cameBack)
}

func TestPullOfNil(t *testing.T) {
	_, err := bridge.Pull[int](t.Context(), nil).Next(t.Context())
	assert.Equal(t, bridge.ErrNil, err)
}

func TestManyAskAtOnce(t *testing.T) {
	const n = 100
	p := bridge.Pull(t.Context(), func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	})
	var mu sync.Mutex
	seen := map[int]int{}
	var wg sync.WaitGroup
	for k := range 4 {
		wg.Go(func() {
			for {
				ctx, cancel := context.WithCancel(context.Background())
				if k == 0 {
					go cancel() // one that gives up all the time
				}
				v, err := p.Next(ctx)
				cancel()
				if err == io.EOF {
					return
				}
				if err == nil {
					mu.Lock()
					seen[v]++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	require.Len(t, seen, n)
	for v, times := range seen {
		require.Equal(t, 1, times, v)
	}
}
