package pool_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// turns is work that yields after each run but its last.
type turns struct {
	t    *testing.T
	pool *pool.Pool
	left int
	each func(turn int, self schedulers.Worker)
	end  chan error // nil, or the pool's refusal
	turn int
}

func (w *turns) Run(self schedulers.Worker) {
	w.turn++
	w.each(w.turn, self)
	if w.left--; w.left == 0 {
		w.end <- nil
		return
	}
	if err := w.pool.Submit(w, schedulers.Hint{From: leavingOf(w.t, self), Flags: schedulers.PreferFairness}); err != nil {
		w.end <- err
	}
}

func (w *turns) Abandon(reason error) { w.end <- reason }

// runYielding runs n turns on a pool with one worker. It returns how they ended, and the
// pool.
func runYielding(t *testing.T, n int, each func(p *pool.Pool, turn int, self schedulers.Worker)) (*pool.Pool, error) {
	t.Helper()
	p := pool.New(pool.Workers(1, 1))
	w := &turns{t: t, pool: p, left: n, end: make(chan error, 1)}
	w.each = func(turn int, self schedulers.Worker) { each(p, turn, self) }
	require.NoError(t, p.Submit(w, schedulers.Hint{}))
	return p, <-w.end
}

func balanced(t *testing.T, p *pool.Pool, items uint64) {
	t.Helper()
	require.NoError(t, p.Shutdown(context.Background()))
	m := p.Metrics()
	assert.Equal(t, items, m.Submitted)
	assert.Equal(t, items, m.Completed)
	assert.Zero(t, m.Queued+m.Running)
}

func TestAYieldWithoutOtherWorkIsCountedEachTime(t *testing.T) {
	p, err := runYielding(t, 1000, func(*pool.Pool, int, schedulers.Worker) {})
	require.NoError(t, err)
	balanced(t, p, 1000)
}

func TestAYieldRunsBehindEarlierSubmissions(t *testing.T) {
	var seen []int
	p, err := runYielding(t, 300, func(p *pool.Pool, turn int, self schedulers.Worker) {
		seen = append(seen, turn)
		note := step(func(schedulers.Worker) { seen = append(seen, -turn) })
		switch {
		case turn%7 == 0:
			assert.NoError(t, p.Submit(note, schedulers.Hint{}))
		case turn%11 == 0:
			assert.NoError(t, p.Submit(note, schedulers.Hint{From: self}))
		}
	})
	require.NoError(t, err)
	var want []int
	others := uint64(0)
	for turn := 1; turn <= 300; turn++ {
		want = append(want, turn)
		if turn < 300 && (turn%7 == 0 || turn%11 == 0) {
			want = append(want, -turn)
			others++
		}
	}
	assert.Equal(t, want, seen)
	balanced(t, p, 300+others)
}

func TestTwoThatGiveWayTakeTurns(t *testing.T) {
	p := pool.New(pool.Workers(1, 1))
	var seen []string
	player := func(name string) *turns {
		w := &turns{t: t, pool: p, left: 200, end: make(chan error, 1)}
		w.each = func(int, schedulers.Worker) { seen = append(seen, name) }
		return w
	}
	a, b := player("a"), player("b")
	require.NoError(t, p.Submit(step(func(schedulers.Worker) {
		assert.NoError(t, p.Submit(a, schedulers.Hint{}))
		assert.NoError(t, p.Submit(b, schedulers.Hint{}))
	}), schedulers.Hint{}))
	require.NoError(t, <-a.end)
	require.NoError(t, <-b.end)
	balanced(t, p, 401)
	for i, name := range seen {
		assert.Equal(t, []string{"a", "b"}[i%2], name)
	}
}

func TestAYieldInAClosedPoolIsRefused(t *testing.T) {
	ended, last := make(chan error, 1), 0
	_, err := runYielding(t, 1000, func(p *pool.Pool, turn int, _ schedulers.Worker) {
		if last = turn; turn != 500 {
			return
		}
		go func() { ended <- p.Shutdown(context.Background()) }()
		// Long-running work is not queued, so it does not tell the worker about the shutdown.
		for p.Submit(step(func(schedulers.Worker) {}), schedulers.Hint{Flags: schedulers.LongRunning}) == nil {
		}
	})
	require.ErrorIs(t, err, schedulers.ErrShutdown)
	assert.Equal(t, 500, last, "the turn in which the pool was closed is the last one")
	require.NoError(t, <-ended)
}

// A user's scheduler may have something to do after the work that it wraps.
func TestWrappedWorkDoesNotStayInFrontOfItsWrapper(t *testing.T) {
	p := pool.New(pool.Workers(1, 1))
	var seen []string
	w := &turns{t: t, pool: p, left: 2, end: make(chan error, 1)}
	w.each = func(int, schedulers.Worker) { seen = append(seen, "work") }
	require.NoError(t, p.Submit(step(func(self schedulers.Worker) {
		w.Run(self)
		seen = append(seen, "wrapper")
	}), schedulers.Hint{}))
	require.NoError(t, <-w.end)
	balanced(t, p, 2)
	assert.Equal(t, []string{"work", "wrapper", "work"}, seen)
}

// A worker whose work yields all the time takes nothing from a queue. It must still end when
// there are too many workers.
func TestAWorkerWhoseWorkYieldsEndsWhenTheLimitIsLowered(t *testing.T) {
	p := pool.New(pool.Workers(2, 2), pool.AddAfter(0))
	const most = 1_000_000
	var begun sync.WaitGroup
	begun.Add(2)
	var works [2]*turns
	for i := range works {
		w := &turns{t: t, pool: p, left: most, end: make(chan error, 1)}
		w.each = func(turn int, _ schedulers.Worker) {
			if turn == 1 {
				begun.Done()
				begun.Wait() // each has a worker
			}
			if turn > 1 && p.Metrics().Workers == 1 {
				w.left = 1
			}
		}
		works[i] = w
		require.NoError(t, p.Submit(w, schedulers.Hint{}))
	}
	begun.Wait()
	p.SetWorkers(1, 1)
	for _, w := range works {
		require.NoError(t, <-w.end)
		assert.Less(t, w.turn, most)
	}
	require.NoError(t, p.Shutdown(context.Background()))
}
