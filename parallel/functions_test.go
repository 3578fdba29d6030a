package parallel_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/parallel"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// What operations are given in a machine suspends, and what they do is what they do with plain
// functions.

// passage is what functions wait for, and counts those that wait.
type passage struct {
	open  coord.ManualResetEvent
	waits atomic.Int64
}

// pass waits until the passage is open.
//
//movenext:async
func (p *passage) pass(ctx context.Context) error {
	p.waits.Add(1)
	return p.open.Wait(ctx)
}

// opened is a passage that its first visitor finds open.
func opened() *passage {
	p := new(passage)
	p.open.Set()
	return p
}

// operations are functions that wait in what they give to an operation, with its results.
var operations = map[string]func(ctx context.Context, p *passage, items []int) *job.Job[string]{
	"For": loopsAsync, "ForBlocks": blocksAsync, "Invoke": invokesAsync, "ForEach": visitsAsync, "Map": doublesAsync,
	"Filter": filtersAsync, "GroupBy": groupsAsync, "Distinct": distinguishesAsync, "Run": runsAsync,
	"Reduce": reducesAsync, "Reduce merges": mergesAsync, "Scan": scansAsync, "Scan merges": scansMergingAsync,
}

// plainOperations are the plain forms of operations.
var plainOperations = map[string]func(ctx context.Context, p *passage, items []int) (string, error){
	"For": loops, "ForBlocks": blocks, "Invoke": invokes, "ForEach": visits, "Map": doubles,
	"Filter": filters, "GroupBy": groups, "Distinct": distinguishes, "Run": runs,
	"Reduce": reduces, "Reduce merges": merges, "Scan": scans, "Scan merges": scansMerging,
}

//movenext:async
func loops(ctx context.Context, p *passage, items []int) (string, error) {
	found := make([]int, len(items))
	err := parallel.For(ctx, 0, len(items), func(ctx context.Context, i int) error {
		found[i] = 2 * items[i]
		return p.pass(ctx)
	}, parallel.Degree(3))
	return fmt.Sprint(found), err
}

//movenext:async
func blocks(ctx context.Context, p *passage, items []int) (string, error) {
	found := make([]int, len(items))
	err := parallel.ForBlocks(ctx, 0, len(items), func(ctx context.Context, lo, hi int) error {
		copy(found[lo:hi], items[lo:hi])
		return p.pass(ctx)
	}, parallel.Chunk(7))
	return fmt.Sprint(found), err
}

//movenext:async
func invokes(ctx context.Context, p *passage, items []int) (string, error) {
	sum := 0
	err := parallel.Invoke(ctx, p.pass, func(ctx context.Context) error {
		for _, v := range items {
			sum += v
		}
		return p.pass(ctx)
	}, noop)
	return fmt.Sprint(sum), err
}

func noop(context.Context) error { return nil }

//movenext:async
func visits(ctx context.Context, p *passage, items []int) (string, error) {
	var sum atomic.Int64
	err := parallel.ForEach(ctx, items, func(ctx context.Context, v int) error {
		sum.Add(int64(v))
		return p.pass(ctx)
	}, parallel.Degree(3))
	return fmt.Sprint(sum.Load()), err
}

//movenext:async
func doubles(ctx context.Context, p *passage, items []int) (string, error) {
	found, err := parallel.Map(ctx, items, func(ctx context.Context, v int) (int, error) { return 2 * v, p.pass(ctx) })
	return fmt.Sprint(found), err
}

//movenext:async
func filters(ctx context.Context, p *passage, items []int) (string, error) {
	found, err := parallel.Filter(ctx, items, func(ctx context.Context, v int) (bool, error) { return v%2 == 0, p.pass(ctx) })
	return fmt.Sprint(found), err
}

//movenext:async
func groups(ctx context.Context, p *passage, items []int) (string, error) {
	found, err := parallel.GroupBy(ctx, items, func(ctx context.Context, v int) (int, error) { return v % 10, p.pass(ctx) })
	return fmt.Sprint(found), err
}

//movenext:async
func distinguishes(ctx context.Context, p *passage, items []int) (string, error) {
	found, err := parallel.Distinct(ctx, items, func(ctx context.Context, v int) (int, error) { return v % 10, p.pass(ctx) })
	return fmt.Sprint(found), err
}

//movenext:async
func runs(ctx context.Context, p *passage, items []int) (string, error) {
	found, err := parallel.Run(ctx, func(w *parallel.Worker) (int, error) { return len(items), p.pass(w.Context()) })
	return fmt.Sprint(found), err
}

//movenext:async
func reduces(ctx context.Context, p *passage, items []int) (string, error) {
	return parallel.Reduce(ctx, items, "", func(ctx context.Context, acc string, v int) (string, error) {
		return acc + fmt.Sprint(v, " "), p.pass(ctx)
	}, joined, parallel.Chunk(4))
}

func joined(a, b string) string { return a + b }

//movenext:async
func merges(ctx context.Context, p *passage, items []int) (string, error) {
	return parallel.Reduce(ctx, items, "", appended, func(a, b string) string {
		if p.pass(ctx) != nil {
			return ""
		}
		return a + b
	}, parallel.Chunk(4))
}

func appended(_ context.Context, acc string, v int) (string, error) {
	return acc + fmt.Sprint(v, " "), nil
}

//movenext:async
func scans(ctx context.Context, p *passage, items []int) (string, error) {
	all, err := parallel.Scan(ctx, items, "", func(ctx context.Context, acc string, v int) (string, error) {
		return acc + fmt.Sprint(v, " "), p.pass(ctx)
	}, joined, parallel.Chunk(4))
	return strings.Join(all, "\n"), err
}

//movenext:async
func scansMerging(ctx context.Context, p *passage, items []int) (string, error) {
	all, err := parallel.Scan(ctx, items, "", appended, func(a, b string) string {
		if p.pass(ctx) != nil {
			return ""
		}
		return a + b
	}, parallel.Chunk(4))
	return strings.Join(all, "\n"), err
}

// to returns the numbers below n.
func to(n int) []int {
	items := make([]int, n)
	for i := range items {
		items[i] = i
	}
	return items
}

func TestBothFormsOfWhatAnOperationIsGivenHaveTheSameResults(t *testing.T) {
	four := pool.New(pool.Workers(4, 4))
	t.Cleanup(func() { _ = four.Shutdown(context.Background()) })
	ctx := schedulers.With(context.Background(), four)
	ended, end := context.WithCancel(ctx)
	end()
	for name := range operations {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{0, 1, 5, 8, 100} {
				want, err := plainOperations[name](ctx, opened(), to(n))
				require.NoError(t, err)
				got, err := operations[name](ctx, opened(), to(n)).Await()
				require.NoError(t, err)
				assert.Equal(t, want, got)

				p := new(passage)
				j := operations[name](ctx, p, to(n))
				p.open.Set()
				got, err = j.Await()
				require.NoError(t, err)
				assert.Equal(t, want, got)
			}
			_, want := plainOperations[name](ended, opened(), to(9))
			_, err := operations[name](ended, opened(), to(9)).Await()
			require.ErrorIs(t, err, context.Canceled)
			assert.Equal(t, want.Error(), err.Error())
		})
	}
}

func TestMachinesThatWaitInWhatAnOperationIsGivenHoldNoGoroutine(t *testing.T) {
	const machines = 500
	one := pool.New(pool.Workers(1, 1))
	t.Cleanup(func() { _ = one.Shutdown(context.Background()) })
	ctx := schedulers.With(context.Background(), one)
	for name, start := range operations {
		t.Run(name, func(t *testing.T) {
			p := new(passage)
			before := runtime.NumGoroutine()
			jobs := make([]*job.Job[string], machines)
			for i := range jobs {
				jobs[i] = start(ctx, p, to(12))
			}
			require.Eventually(t, func() bool { return p.waits.Load() >= machines }, 10*time.Second, time.Millisecond)
			assert.Less(t, runtime.NumGoroutine()-before, 10)
			p.open.Set()
			_, err := job.WhenAll(jobs...).Await()
			require.NoError(t, err)
		})
	}
}

// mergesOf calls Reduce or Scan with a merge that has an entry.
//
//movenext:async
func mergesOf(ctx context.Context, scan bool, fold func(context.Context, int, int) (int, error), merge func(a, b int) int, opts ...parallel.Option) (int, error) {
	if scan {
		all, err := parallel.Scan(ctx, to(9), 100, fold, merge, opts...)
		return len(all), err
	}
	return parallel.Reduce(ctx, to(9), 100, fold, merge, opts...)
}

func total(_ context.Context, acc, v int) (int, error) { return acc + v, nil }

func failing(context.Context, int, int) (int, error) { return 5, errEnough }

// failures are calls of Reduce and Scan that fail, with a merge that waits.
//
//movenext:async
func failures(ctx context.Context, p *passage, which string, scan bool) (int, error) {
	added := func(a, b int) int {
		_ = p.pass(ctx)
		return a + b
	}
	switch which {
	case "fold fails":
		return mergesOf(ctx, scan, failing, added, parallel.Degree(1), parallel.Chunk(2))
	case "merge panics":
		return mergesOf(ctx, scan, total, func(a, b int) int {
			_ = p.pass(ctx)
			panic(errEnough)
		}, parallel.Degree(1), parallel.Chunk(2))
	case "no fold":
		return mergesOf(ctx, scan, nil, added)
	case "bad option":
		return mergesOf(ctx, scan, total, added, parallel.Degree(-1))
	}
	return mergesOf(ctx, scan, total, added, parallel.Degree(1), parallel.Chunk(2))
}

func TestBothFormsOfAMergeFailAlike(t *testing.T) {
	ended, end := context.WithCancel(context.Background())
	end()
	for _, which := range []string{"fold fails", "merge panics", "no fold", "bad option", "fine"} {
		for _, scan := range []bool{false, true} {
			t.Run(fmt.Sprint(which, " ", scan), func(t *testing.T) {
				for _, ctx := range []context.Context{context.Background(), ended} {
					v, want := failures(ctx, opened(), which, scan)
					got, err := failuresAsync(ctx, opened(), which, scan).Await()
					assert.Equal(t, v, got)
					if p, panicked := errors.AsType[*job.PanicError](want); panicked {
						q, panicked := errors.AsType[*job.PanicError](err)
						require.True(t, panicked, "%v", err)
						assert.Equal(t, p.Value, q.Value)
						continue
					}
					assert.Equal(t, want, err)
				}
			})
		}
	}
}

// exits calls an operation whose body exits after it has waited.
//
//movenext:async
func exits(ctx context.Context, p *passage) error {
	return parallel.ForBlocks(ctx, 0, 3, func(ctx context.Context, _, _ int) error {
		_ = p.pass(ctx)
		runtime.Goexit()
		return nil
	})
}

func TestAGoexitInABodyThatHasSuspendedIsTheCallers(t *testing.T) {
	p := new(passage)
	j := exitsAsync(context.Background(), p)
	p.open.Set()
	_, err := j.Wait(context.Background())
	require.ErrorIs(t, err, job.ErrGoexit)
	returned := make(chan bool, 1)
	go func() {
		ok := false
		defer func() { returned <- ok }()
		_ = exits(context.Background(), p)
		ok = true
	}()
	assert.False(t, <-returned)
}
