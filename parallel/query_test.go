package parallel

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/statemachine"
)

var (
	even     = func(_ context.Context, i int) (bool, error) { return i%2 == 0, nil }
	digit    = func(_ context.Context, i int) (int, error) { return i % 10, nil }
	appended = func(_ context.Context, acc string, i int) (string, error) { return acc + strconv.Itoa(i) + " ", nil }
	concat   = func(a, b string) string { return a + b }
)

// plainQueries are the results of the queries by plain loops.
func plainQueries(items []int) (evens, firsts []int, groups map[int][]int, scanned []string) {
	groups, evens, firsts, scanned = map[int][]int{}, []int{}, []int{}, []string{}
	acc := ""
	for _, i := range items {
		if i%2 == 0 {
			evens = append(evens, i)
		}
		if len(groups[i%10]) == 0 {
			firsts = append(firsts, i)
		}
		groups[i%10] = append(groups[i%10], i)
		acc += strconv.Itoa(i) + " "
		scanned = append(scanned, acc)
	}
	return evens, firsts, groups, scanned
}

func TestQueriesAreThoseOfPlainLoopsOnEachScheduler(t *testing.T) {
	onEach(t, func(t *testing.T, ctx context.Context) {
		for _, n := range []int{0, 1, 2, 255, 256, 257, 1000} {
			items := ints(n)
			for i := range items {
				items[i] = items[i] * 7919 % 1009
			}
			evens, firsts, groups, scanned := plainQueries(items)
			for _, opts := range [][]Option{nil, {Degree(1)}, {Degree(5)}, {Degree(3), Chunk(10)}, {Range()}} {
				s, err := Scan(ctx, items, "", appended, concat, opts...)
				require.NoError(t, err)
				require.Equal(t, scanned, s)
				for _, seq := range []iter.Seq[int]{nil, slices.Values(items)} {
					f, d, g := queries(ctx, t, items, seq, opts)
					require.Equal(t, evens, f)
					require.Equal(t, firsts, d)
					require.Equal(t, groups, g)
				}
			}
		}
	})
}

// queries runs the queries over seq, or over items if seq is nil.
func queries(ctx context.Context, t *testing.T, items []int, seq iter.Seq[int], opts []Option) (evens, firsts []int, groups map[int][]int) {
	var err1, err2, err3 error
	if seq != nil {
		evens, err1 = Filter(ctx, seq, even, opts...)
		firsts, err2 = Distinct(ctx, seq, digit, opts...)
		groups, err3 = GroupBy(ctx, seq, digit, opts...)
	} else {
		evens, err1 = Filter(ctx, items, even, opts...)
		firsts, err2 = Distinct(ctx, items, digit, opts...)
		groups, err3 = GroupBy(ctx, items, digit, opts...)
	}
	for _, err := range []error{err1, err2, err3} {
		require.NoError(t, err)
	}
	return evens, firsts, groups
}

// backwards returns two functions. arrive is called for each of the items 0 to n-1, at
// the same time, and returns for the last of them first. After done is called for an
// item, arrive may return for the next one.
func backwards(n int) (arrive func(i int), done func(i int)) {
	begun := meet(n)
	turns := make([]chan struct{}, n+1)
	for i := range turns {
		turns[i] = make(chan struct{})
	}
	close(turns[n])
	return func(i int) {
		begun()
		<-turns[i+1]
	}, func(i int) { close(turns[i]) }
}

func TestUnorderedQueriesAreInTheOrderOfCompletion(t *testing.T) {
	const n = 5
	ctx := schedulers.With(context.Background(), each{})
	arrive, done := backwards(n)
	at := ranking(settings{asCompleted: true})
	var kept indexedItems[int]
	err := For(ctx, 0, n, func(_ context.Context, i int) error {
		arrive(i)
		kept.note(at(i), i)
		done(i)
		return nil
	}, Degree(n), Chunk(1))
	require.NoError(t, err)
	assert.Equal(t, []int{4, 3, 2, 1, 0}, kept.items())

	items := ints(100)
	f, d, g := queries(ctx, t, items, nil, []Option{AsCompleted(), Degree(4)})
	evens, _, groups, _ := plainQueries(items)
	assert.ElementsMatch(t, evens, f)
	assert.Len(t, d, 10)
	for k := range groups {
		assert.ElementsMatch(t, groups[k], g[k])
	}
	_, d, _ = queries(ctx, t, nil, slices.Values(items), []Option{AsCompleted(), Degree(4)})
	assert.Len(t, d, 10)
}

// gated is the companion of a body that waits for the gate.
func gated[T any](gate *job.Job[int], f func(int) (T, error)) func(*statemachine.Run, context.Context, int) (statemachine.Callee[T], T, error) {
	return func(r *statemachine.Run, ctx context.Context, i int) (statemachine.Callee[T], T, error) {
		return suspendedUntil(r, job.Then(ctx, gate, func(context.Context, int) (T, error) { return f(i) }))
	}
}

// suspendedUntil is the outcome of an entry that waits for a job.
func suspendedUntil[T any](r *statemachine.Run, j *job.Job[T]) (callee statemachine.Callee[T], v T, err error) {
	r.Await(j)
	return &awaiting[T]{j}, v, err
}

type awaiting[T any] struct{ job *job.Job[T] }

func (a *awaiting[T]) Results(r *statemachine.Run) (T, error) {
	return statemachine.JobResult(r, a.job)
}

// unused is the plain form of a body with a companion.
func unused[T any](context.Context, int) (T, error) { panic("the plain form") }

// result ends the wait of a machine whose operation has suspended.
func result[T any](t *testing.T, gate *job.Source[int], enter func(r *statemachine.Run) (*statemachine.Waiting[T], T, error)) (T, error) {
	t.Helper()
	var r statemachine.Run
	wait, v, err := enter(&r)
	if wait == nil {
		return v, err
	}
	gate.TrySetResult(1)
	<-r.Kept().(interface{ Done() <-chan struct{} }).Done()
	return wait.Results(&r)
}

func TestQueriesWhoseBodiesSuspendInAMachine(t *testing.T) {
	one, four := pool.New(pool.Workers(1, 1)), pool.New(pool.Workers(4, 4))
	for _, s := range []schedulers.Scheduler{nil, one, four, each{}} {
		ctx := schedulers.With(context.Background(), s)
		items := ints(300)
		evens, firsts, groups, scanned := plainQueries(items)
		for _, opts := range [][]Option{{Degree(3)}, {Degree(1000)}, {Degree(7), Chunk(50)}} {
			gate := job.NewSource[int]()
			f, err := result(t, gate, func(r *statemachine.Run) (*statemachine.Waiting[[]int], []int, error) {
				return FilterEnter(r, gated(gate.Job(), func(i int) (bool, error) { return i%2 == 0, nil }), ctx, items, unused, opts...)
			})
			require.NoError(t, err)
			assert.Equal(t, evens, f)
			gate = job.NewSource[int]()
			digits := gated(gate.Job(), func(i int) (int, error) { return i % 10, nil })
			d, err := result(t, gate, func(r *statemachine.Run) (*statemachine.Waiting[[]int], []int, error) {
				return DistinctEnter(r, digits, ctx, slices.Values(items), unused, opts...)
			})
			require.NoError(t, err)
			assert.Equal(t, firsts, d)
			gate = job.NewSource[int]()
			digits = gated(gate.Job(), func(i int) (int, error) { return i % 10, nil })
			g, err := result(t, gate, func(r *statemachine.Run) (*statemachine.Waiting[map[int][]int], map[int][]int, error) {
				return GroupByEnter(r, digits, ctx, items, unused, opts...)
			})
			require.NoError(t, err)
			assert.Equal(t, groups, g)
			gate = job.NewSource[int]()
			fold := func(r *statemachine.Run, ctx context.Context, acc string, i int) (statemachine.Callee[string], string, error) {
				return suspendedUntil(r, job.Then(ctx, gate.Job(), func(context.Context, int) (string, error) { return acc + strconv.Itoa(i) + " ", nil }))
			}
			s, err := result(t, gate, func(r *statemachine.Run) (*statemachine.Waiting[[]string], []string, error) {
				return ScanEnter(r, fold, nil, ctx, items, "", func(context.Context, string, int) (string, error) { panic("the plain form") }, concat, opts...)
			})
			require.NoError(t, err)
			assert.Equal(t, scanned, s)
		}
	}
	require.NoError(t, errors.Join(one.Shutdown(t.Context()), four.Shutdown(t.Context())))
}

func TestAQueryThatFailsHasNoResults(t *testing.T) {
	ctx := context.Background()
	failing := func(_ context.Context, i int) (int, error) {
		if i == 7 {
			return 0, errBody
		}
		return i, nil
	}
	g, err := GroupBy(ctx, ints(100), failing)
	require.ErrorIs(t, err, errBody)
	assert.Nil(t, g)
	d, err := Distinct(ctx, slices.Values(ints(100)), failing)
	require.ErrorIs(t, err, errBody)
	assert.Nil(t, d)
	f, err := Filter(ctx, ints(100), func(ctx context.Context, i int) (bool, error) { panic("oops") })
	assert.ErrorContains(t, err, "oops")
	assert.Nil(t, f)
	s, err := Scan(ctx, ints(1000), 0, func(_ context.Context, a, i int) (int, error) { return failing(ctx, i) }, func(a, b int) int { return a + b })
	require.ErrorIs(t, err, errBody)
	assert.Nil(t, s)
	_, err = Scan(ctx, ints(1000), 0, func(_ context.Context, a, i int) (int, error) { return a, nil }, func(a, b int) int { panic("oops") })
	var p *job.PanicError
	require.ErrorAs(t, err, &p)

	gate := job.NewSource[int]()
	_, err = result(t, gate, func(r *statemachine.Run) (*statemachine.Waiting[map[int][]int], map[int][]int, error) {
		return GroupByEnter(r, gated(gate.Job(), func(int) (int, error) { return 0, errBody }), ctx, ints(10), unused[int])
	})
	require.ErrorIs(t, err, errBody)
}

func TestAKeyThatCannotBeCompared(t *testing.T) {
	var p *job.PanicError
	_, err := Distinct(context.Background(), ints(3), func(context.Context, int) (any, error) { return []int{1}, nil })
	require.ErrorAs(t, err, &p)
	gate := job.NewSource[int]()
	_, err = result(t, gate, func(r *statemachine.Run) (*statemachine.Waiting[[]int], []int, error) {
		return DistinctEnter(r, gated(gate.Job(), func(int) (any, error) { return []int{1}, nil }), t.Context(), ints(3), unused[any])
	})
	require.ErrorAs(t, err, &p)
}

func TestQueriesWithBadInput(t *testing.T) {
	ctx := context.Background()
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		nils bool
		opts []Option
		want error
	}{
		{ctx, true, nil, ErrNilFunc},
		{ctx, false, []Option{Degree(-1)}, ErrOption},
		{canceled, false, nil, context.Canceled},
	} {
		keep, key, fold := even, digit, appended
		if c.nils {
			keep, key, fold = nil, nil, nil
		}
		_, err := Filter(c.ctx, ints(3), keep, c.opts...)
		assert.ErrorIs(t, err, c.want)
		_, err = GroupBy(c.ctx, ints(3), key, c.opts...)
		assert.ErrorIs(t, err, c.want)
		_, err = Distinct(c.ctx, ints(3), key, c.opts...)
		assert.ErrorIs(t, err, c.want)
		_, err = Scan(c.ctx, ints(3), "", fold, concat, c.opts...)
		assert.ErrorIs(t, err, c.want)
	}
}

func TestAScanIsTheSameToTheLastBitOnAnyNumberOfWorkers(t *testing.T) {
	items := make([]float64, 10_000)
	for i := range items {
		items[i] = 1 / float64(i+1)
	}
	add := func(_ context.Context, a, b float64) (float64, error) { return a + b, nil }
	var want []float64
	for _, degree := range []int{1, 2, 7, runtime.GOMAXPROCS(0)} {
		got, err := Scan(context.Background(), items, 0, add, func(a, b float64) float64 { return a + b }, Degree(degree))
		require.NoError(t, err)
		if want == nil {
			want = got
		}
		require.Equal(t, want, got, fmt.Sprint("degree ", degree))
	}
	sums, err := Reduce(context.Background(), items, 0, add, func(a, b float64) float64 { return a + b })
	require.NoError(t, err)
	assert.InDelta(t, sums, want[len(want)-1], 1e-9)
}
