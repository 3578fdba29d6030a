package suite

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestASizeSaysHowManyOperationsItsArgumentDoes(t *testing.T) {
	// The same trees, walked.
	var forks func(n int) int
	forks = func(n int) int {
		if n < 2 {
			return 0
		}
		return 1 + forks(n-1) + forks(n-2)
	}
	var nodes func(size int) int
	nodes = func(size int) int {
		if size == 1 {
			return 1
		}
		return 1 + 10*nodes(size/10)
	}
	for _, n := range []int{1, 2, 3, 10, 99, 1000, 54321} {
		arg, ops := Fibonacci(n)
		assert.Equal(t, forks(arg), ops, "fib(%d)", arg)
		assert.True(t, ops <= n && forks(arg+1) > n, "fib(%d) is not the greatest with %d forks", arg, n)

		arg, ops = Tree(n)
		assert.Equal(t, nodes(arg), ops, "a tree of %d leaves", arg)

		arg, ops = Square(n)
		assert.Equal(t, arg+arg*arg, ops)
	}
	for n, leaves := range map[int]int{1_000_000: 1_000_000, 900: 1000, 3: 1, 4: 10} {
		arg, _ := Tree(n)
		assert.Equal(t, leaves, arg)
	}
	arg, _ := Square(1_000_000)
	assert.Equal(t, 1000, arg)
}

func TestAWorkWithoutASizeDoesWhatItIsAskedFor(t *testing.T) {
	w := &Work{}
	arg, ops := w.Shape(17)
	assert.Equal(t, 17, arg)
	assert.Equal(t, 17, ops)
	arg, ops = w.Shape(0)
	assert.Equal(t, 1, arg)
	assert.Equal(t, 1, ops)
}

func TestAContenderIsFoundByItsName(t *testing.T) {
	w := &Work{ID: "W0", Contenders: []Contender{{Name: "a"}, {Name: "b", Note: "this one"}}}
	c, err := w.Contender("b")
	require.NoError(t, err)
	assert.Equal(t, "this one", c.Note)
	_, err = w.Contender("c")
	assert.EqualError(t, err, `suite: W0 has no contender "c"`)
}

func TestProducersShareTheWorkWithoutRemainder(t *testing.T) {
	for _, producers := range []int{-1, 0, 1, 2, 3, 16, 200} {
		seen := make([]atomic.Int32, 100)
		Setting{Producers: producers}.Produce(len(seen), func(from, to int) {
			for i := from; i < to; i++ {
				seen[i].Add(1)
			}
		})
		for i := range seen {
			assert.Equal(t, int32(1), seen[i].Load(), "operation %d with %d producers", i, producers)
		}
	}
}

func TestAMeterKeepsWhatWasReported(t *testing.T) {
	var m Meter
	assert.Nil(t, m.Values())
	m.Exclude(time.Second)
	m.Exclude(time.Minute)
	assert.Equal(t, 61*time.Second, m.Excluded())
	m.Report("sheep", 1)
	m.Report("sheep", 2)
	assert.Equal(t, map[string]float64{"sheep": 2}, m.Values())
}

func TestCheckTellsBothValues(t *testing.T) {
	assert.NoError(t, Check(2, 2))
	assert.EqualError(t, Check(1, 2), "suite: the result is 1, where 2 is right")
}

func TestAPlaceRunsItsJobsAndEnds(t *testing.T) {
	for _, p := range []Place{Default, Stealing, Dedicated, Goroutine} {
		for _, workers := range []int{0, 3} {
			ctx, stop := p.Open(Setting{Workers: workers})
			v, err := job.Run(ctx, func(context.Context) (int, error) { return 7, nil }).Wait(ctx)
			assert.NoError(t, err)
			assert.Equal(t, 7, v)
			stop()
			if s := schedulers.FromContext(ctx); s != nil {
				_, err = job.Run(ctx, func(context.Context) (int, error) { return 7, nil }).Wait(context.Background())
				assert.ErrorIs(t, err, job.ErrShutdown, p.Name)
			}
		}
	}
}

func TestTheDefaultPlaceIsTheDefaultScheduler(t *testing.T) {
	ctx, stop := Default.Open(Setting{})
	defer stop()
	assert.Nil(t, schedulers.FromContext(ctx))
	ctx, narrow := Default.Open(Setting{Workers: 3})
	defer narrow()
	limiter, ok := schedulers.FromContext(ctx).(schedulers.Limiter)
	require.True(t, ok)
	assert.Equal(t, 3, limiter.MaxConcurrency())
}

func TestContendersOfAPlaceAreNamedAfterItAndTheirForm(t *testing.T) {
	run := func(context.Context, Setting) Run { return func(*Meter, int) error { return nil } }
	all := append(On([]Place{Default, Stealing}, "", "", run), On([]Place{Default}, "await", "a note", run)...)
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
		run, stop := c.Start(Setting{})
		assert.NoError(t, run(nil, 1))
		stop()
	}
	assert.Equal(t, []string{"movenext", "movenext workstealing", "movenext: await"}, names)
	assert.Equal(t, "a note", all[2].Note)
}
