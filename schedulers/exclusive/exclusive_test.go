package exclusive_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/exclusive"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/pool"
)

// do is a function as Work. It records the reason for which it was abandoned.
type do struct {
	run       func(on schedulers.Worker)
	abandoned error
}

func (d *do) Run(on schedulers.Worker) { d.run(on) }

func (d *do) Abandon(reason error) { d.abandoned = reason }

func submit(t *testing.T, s schedulers.Scheduler, run func(on schedulers.Worker)) *do {
	t.Helper()
	d := &do{run: run}
	require.NoError(t, s.Submit(d, schedulers.Hint{}))
	return d
}

// line submits a work item to a pair for each letter, capitals to the exclusive side. Each
// item writes its letter when it runs.
func line(t *testing.T, p *exclusive.Pair, order *strings.Builder, letters string) {
	t.Helper()
	for _, letter := range letters {
		side := p.Concurrent()
		if letter < 'a' {
			side = p.Exclusive()
		}
		submit(t, side, func(schedulers.Worker) { order.WriteRune(letter) })
	}
}

func TestWhichWorkMayRunTogether(t *testing.T) {
	for letters, begun := range map[string]int{
		"abc":   3,
		"Abc":   1,
		"aBc":   1, // c could run together with a, but it would overtake B
		"abC":   2,
		"ABC":   1,
		"abcde": 4, // the limit
	} {
		beneath := manual.New()
		p := exclusive.New(beneath, 4)
		var order strings.Builder
		line(t, p, &order, letters)
		assert.Equal(t, begun, beneath.Len(), letters)
		assert.Len(t, p.Snapshot(), len(letters))
		assert.Equal(t, len(letters), beneath.RunAll(), "one submission beneath for each work")
		assert.Equal(t, letters, order.String())
		require.NoError(t, p.Shutdown(context.Background()))
	}
}

// In an endless stream of concurrent work, each work item begins before the previous one
// ends. Exclusive work still runs when the work items before it have ended, and so does
// concurrent work in a stream of exclusive work.
func TestNeitherSideStarves(t *testing.T) {
	for name, one := range map[string]string{"exclusive": "X", "concurrent": "x"} {
		t.Run(name, func(t *testing.T) {
			beneath := manual.New()
			p := exclusive.New(beneath, 0)
			stream := p.Concurrent()
			if one == "x" {
				stream = p.Exclusive()
			}
			steps := 0
			var feed func(schedulers.Worker)
			feed = func(schedulers.Worker) { submit(t, stream, feed) }
			submit(t, stream, feed)
			submit(t, stream, feed)
			var order strings.Builder
			line(t, p, &order, one)
			for order.Len() == 0 {
				require.True(t, beneath.Step())
				steps++
				require.Less(t, steps, 10)
			}
		})
	}
}

// The work items read and write a plain variable: the race detector finds each overlap of
// accesses, and the counters find the others.
func TestExclusiveWorkRunsAlone(t *testing.T) {
	p := exclusive.New(pool.New(pool.Workers(4, 4)), 0)
	var shared int
	var readers, writers atomic.Int64
	for i := range 2000 {
		if i%5 == 0 {
			submit(t, p.Exclusive(), func(schedulers.Worker) {
				assert.Equal(t, int64(1), writers.Add(1))
				assert.Zero(t, readers.Load())
				shared++
				writers.Add(-1)
			})
			continue
		}
		submit(t, p.Concurrent(), func(schedulers.Worker) {
			readers.Add(1)
			assert.Zero(t, writers.Load())
			assert.LessOrEqual(t, shared, 400)
			readers.Add(-1)
		})
	}
	require.NoError(t, p.Shutdown(context.Background()))
	assert.Equal(t, 400, shared)
}

func TestAStrandRunsInTheOrderOfArrival(t *testing.T) {
	beneath := pool.New(pool.Workers(4, 4))
	s := exclusive.NewStrand(beneath)
	var order []int // unguarded: the strand is the guard
	for i := range 1000 {
		submit(t, s, func(schedulers.Worker) { order = append(order, i) })
	}
	require.NoError(t, s.Shutdown(context.Background()))
	require.Len(t, order, 1000)
	assert.IsIncreasing(t, order)
}

// Other work runs during a wait: a job on the strand waits for two others there, on a pool
// with one worker. Both run during the wait, and the job sees their effects.
func TestWorkThatWaitsForWorkOfItsOwnStrandEnds(t *testing.T) {
	beneath := pool.New(pool.Workers(1, 1))
	s := exclusive.NewStrand(beneath)
	ctx := schedulers.With(context.Background(), s)
	var trace []string
	note := func(what string) func(context.Context) error {
		return func(context.Context) error { trace = append(trace, what); return nil }
	}
	err := job.Go(ctx, func(ctx context.Context) error {
		first, second := job.Go(ctx, note("first")), job.Go(ctx, note("second"))
		trace = append(trace, "before")
		_, err := first.Wait(ctx)
		trace = append(trace, "between")
		if err != nil {
			return err
		}
		_, err = job.WhenAll(first, second, job.Go(ctx, note("third"))).Wait(ctx)
		trace = append(trace, "after")
		return err
	})
	_, failure := err.Wait(ctx)
	require.NoError(t, failure)
	assert.Equal(t, []string{"before", "first"}, trace[:2])
	assert.Equal(t, "after", trace[5])
	require.NoError(t, s.Shutdown(context.Background()))
	require.NoError(t, beneath.Shutdown(context.Background()))
}

func TestConcurrentWorkThatWaitsForExclusiveWorkEnds(t *testing.T) {
	p := exclusive.New(pool.New(pool.Workers(1, 1)), 0)
	nested := job.Run(context.Background(), func(ctx context.Context) (int, error) {
		return job.Run(ctx, func(ctx context.Context) (int, error) {
			return job.Run(ctx, func(context.Context) (int, error) { return 7, nil }, job.On(p.Concurrent())).Wait(ctx)
		}, job.On(p.Exclusive())).Wait(ctx)
	}, job.On(p.Concurrent()))
	got, err := nested.Wait(context.Background())
	require.NoError(t, err)
	assert.Equal(t, 7, got)
	require.NoError(t, p.Shutdown(context.Background()))
}

// While the writer waits, readers begin. The writer must not continue before they have
// ended, and later readers must not begin before it has continued.
func TestExclusiveWorkIsAloneAgainAfterAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := exclusive.New(goroutine.New(), 0)
		var mu sync.Mutex
		var trace []string
		note := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			trace = append(trace, what)
		}
		waitOver, reading := make(chan struct{}), make(chan struct{})
		submit(t, p.Exclusive(), func(on schedulers.Worker) {
			unblock, err := on.(schedulers.Blocker).Block()
			assert.NoError(t, err)
			<-waitOver
			unblock()
			note("writer continues")
		})
		synctest.Wait()
		submit(t, p.Concurrent(), func(schedulers.Worker) { note("reader in"); <-reading; note("reader out") })
		synctest.Wait()
		close(waitOver)
		synctest.Wait()
		submit(t, p.Concurrent(), func(schedulers.Worker) { note("late reader") })
		synctest.Wait()
		assert.Equal(t, []string{"reader in"}, trace)
		close(reading)
		require.NoError(t, p.Shutdown(context.Background()))
		assert.Equal(t, []string{"reader in", "reader out", "writer continues", "late reader"}, trace)
	})
}

// Random work items that wait at random moments, checked against the rule at each step.
func TestTheRuleHoldsWithWaits(t *testing.T) {
	p := exclusive.New(pool.New(pool.Workers(4, 4)), 3)
	var mu sync.Mutex
	readers, writers := 0, 0
	inside := func(side *exclusive.Side, by int) {
		mu.Lock()
		defer mu.Unlock()
		if side == p.Exclusive() {
			writers += by
		} else {
			readers += by
		}
		assert.False(t, writers > 1 || writers == 1 && readers > 0 || readers > 3, "%d readers, %d writers", readers, writers)
	}
	for i := range 600 {
		random := rand.New(rand.NewPCG(uint64(i), 5))
		side := p.Concurrent()
		if random.IntN(3) == 0 {
			side = p.Exclusive()
		}
		submit(t, side, func(on schedulers.Worker) {
			inside(side, 1)
			for range random.IntN(3) {
				inside(side, -1)
				unblock, err := on.(schedulers.Blocker).Block()
				assert.NoError(t, err)
				unblock()
				inside(side, 1)
			}
			inside(side, -1)
		})
	}
	require.NoError(t, p.Shutdown(context.Background()))
}

func TestWorkSeesItsSideAsItsHome(t *testing.T) {
	beneath := manual.New()
	p := exclusive.New(beneath, 0)
	for _, side := range []*exclusive.Side{p.Concurrent(), p.Exclusive()} {
		submit(t, side, func(on schedulers.Worker) { assert.Same(t, side, on.Scheduler()) })
	}
	beneath.RunAll()
}

func TestLimits(t *testing.T) {
	p := exclusive.New(pool.New(pool.Workers(1, 8)), 3)
	assert.Equal(t, 1, p.Exclusive().MaxConcurrency())
	assert.Equal(t, 3, p.Concurrent().MaxConcurrency())
	assert.Equal(t, 8, exclusive.New(pool.New(pool.Workers(1, 8)), -1).Concurrent().MaxConcurrency())
	assert.Equal(t, 0, exclusive.New(goroutine.New(), 0).Concurrent().MaxConcurrency())
	assert.Equal(t, 1, exclusive.NewStrand(goroutine.New()).MaxConcurrency())
	require.ErrorIs(t, exclusive.NewStrand(nil).Submit(&do{}, schedulers.Hint{}), schedulers.ErrRejected)
}

func TestAShutdownThatGivesUpAbandonsBothSides(t *testing.T) {
	p := exclusive.New(manual.New(), 0)
	writer, reader := submit(t, p.Exclusive(), nil), submit(t, p.Concurrent(), nil)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	require.Equal(t, cause, p.Shutdown(ctx))
	assert.Equal(t, schedulers.ErrShutdown, writer.abandoned)
	assert.Equal(t, schedulers.ErrShutdown, reader.abandoned)
	assert.Equal(t, schedulers.Metrics{Submitted: 2, Abandoned: 2}, p.Metrics())
	require.ErrorIs(t, p.Exclusive().Submit(&do{}, schedulers.Hint{}), schedulers.ErrShutdown)
}
