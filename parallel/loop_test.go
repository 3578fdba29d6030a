package parallel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

var partitions = map[string][]Option{
	"stealing": {Stealing()},
	"range":    {Range()},
	"chunk 1":  {Chunk(1)},
	"chunk 7":  {Chunk(7)},
	"default":  nil,
}

func TestEachIndexRunsOnceOnEachSchedulerAndPartition(t *testing.T) {
	onEach(t, func(t *testing.T, ctx context.Context) {
		for name, opts := range partitions {
			for _, degree := range []int{0, 1, 2, 3, 16} {
				for _, n := range []int{1, 2, 3, 15, 16, 17, 1000} {
					ran := make([]atomic.Int32, n)
					err := For(ctx, -5, n-5, func(_ context.Context, i int) error {
						ran[i+5].Add(1)
						return nil
					}, append(opts, Degree(degree))...)
					require.NoError(t, err)
					for i := range ran {
						require.EqualValues(t, 1, ran[i].Load(), "%s, degree %d, index %d of %d", name, degree, i, n)
					}
				}
			}
		}
	})
}

func TestBlocksCoverTheRangeOnce(t *testing.T) {
	for name, opts := range partitions {
		t.Run(name, func(t *testing.T) {
			const n = 1000
			ran := make([]atomic.Int32, n)
			err := ForBlocks(context.Background(), 0, n, func(_ context.Context, lo, hi int) error {
				assert.Less(t, lo, hi)
				for i := lo; i < hi; i++ {
					ran[i].Add(1)
				}
				return nil
			}, append(opts, Degree(4))...)
			require.NoError(t, err)
			for i := range ran {
				require.EqualValues(t, 1, ran[i].Load())
			}
		})
	}
}

func TestARangeCutsOnePartForEachMember(t *testing.T) {
	var mu sync.Mutex
	var sizes []int
	err := ForBlocks(schedulers.With(context.Background(), each{}), 0, 10, func(_ context.Context, lo, hi int) error {
		mu.Lock()
		defer mu.Unlock()
		sizes = append(sizes, hi-lo)
		return nil
	}, Range(), Degree(3))
	require.NoError(t, err)
	assert.ElementsMatch(t, []int{4, 4, 2}, sizes)
}

func TestChunksAreTakenInOrderByOne(t *testing.T) {
	var los []int
	err := ForBlocks(context.Background(), 0, 10, func(_ context.Context, lo, _ int) error {
		los = append(los, lo)
		return nil
	}, Chunk(4), Degree(1))
	require.NoError(t, err)
	assert.Equal(t, []int{0, 4, 8}, los)
}

func TestAnEmptyOrReversedRangeRunsNothing(t *testing.T) {
	for _, to := range []int{0, -1, math.MinInt} {
		require.NoError(t, For(context.Background(), 0, to, func(context.Context, int) error { return errBody }))
	}
}

func TestARangeWiderThanAnIntHolds(t *testing.T) {
	for name, opts := range partitions {
		var sum atomic.Uint64
		var lowest, highest atomic.Int64
		err := ForBlocks(context.Background(), math.MinInt, math.MaxInt, func(_ context.Context, lo, hi int) error {
			sum.Add(uint64(uint(hi) - uint(lo)))
			if lo == math.MinInt {
				lowest.Add(1)
			}
			if hi == math.MaxInt {
				highest.Add(1)
			}
			if sum.Load() > math.MaxUint>>24 && name != "range" && name != "stealing" && name != "default" {
				return errBody // chunks would take until the end of time
			}
			return nil
		}, append(opts, Degree(2))...)
		if errors.Is(err, errBody) {
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, uint64(math.MaxUint), sum.Load(), name)
		assert.EqualValues(t, 1, lowest.Load(), name)
		assert.EqualValues(t, 1, highest.Load(), name)
	}
}

// TestADegreeAndAChunkForAsManyAsYouLike passes the values of callers that want no bound.
func TestADegreeAndAChunkForAsManyAsYouLike(t *testing.T) {
	ctx := schedulers.With(context.Background(), each{})
	for _, opts := range [][]Option{{Degree(math.MaxInt)}, {Chunk(math.MaxInt)}, {Degree(math.MaxInt), Range()}, {Degree(math.MaxInt), Chunk(math.MaxInt)}, {Chunk(1500)}} {
		const n = 4000
		var sum atomic.Int64
		add := func(_ context.Context, i int) error { sum.Add(int64(i)); return nil }
		require.NoError(t, For(ctx, 0, n, add, opts...))
		require.NoError(t, ForEach(ctx, ints(n), add, opts...))
		require.NoError(t, ForEach(ctx, slices.Values(ints(n)), add, opts...))
		assert.EqualValues(t, 3*n*(n-1)/2, sum.Load())

		s := ints(3 * minRun)
		slices.Reverse(s)
		require.NoError(t, Sort(ctx, s, opts...))
		assert.True(t, slices.IsSorted(s))

		total, err := Reduce(ctx, ints(n), 0, func(_ context.Context, acc, i int) (int, error) { return acc + i, nil }, func(a, b int) int { return a + b }, opts...)
		require.NoError(t, err)
		assert.Equal(t, n*(n-1)/2, total)
		got, err := Map(ctx, ints(n), func(_ context.Context, i int) (int, error) { return i, nil }, opts...)
		require.NoError(t, err)
		assert.Equal(t, ints(n), got)
		v, err := Run(ctx, func(w *Worker) (int, error) {
			x, y := Join(w, func(_ *Worker, i int) int { return i }, 3, 4)
			return x + y, nil
		}, opts...)
		require.NoError(t, err)
		assert.Equal(t, 7, v)
	}
}

func TestBadOptionsAndNilFunctionsAreErrorsAndRunNothing(t *testing.T) {
	ctx := context.Background()
	body := func(context.Context, int) error { panic("must not run") }
	assert.ErrorIs(t, For(ctx, 0, 1, body, Degree(-1)), ErrOption)
	assert.ErrorIs(t, For(ctx, 0, 1, body, Chunk(-1)), ErrOption)
	assert.EqualError(t, For(ctx, 0, 1, body, Degree(-1)), "parallel: bad option: degree -1 is negative")
	assert.ErrorIs(t, For(ctx, 0, 1, nil), ErrNilFunc)
	assert.ErrorIs(t, ForBlocks(ctx, 0, 1, nil), job.ErrNilFunc)
	err := Invoke(ctx, func(context.Context) error { panic("must not run") }, nil)
	assert.ErrorIs(t, err, ErrNilFunc)
	assert.EqualError(t, err, "parallel: function 1 of 2: job: nil function")
	assert.NoError(t, Invoke(ctx))
	assert.NoError(t, For(ctx, 0, 1, func(context.Context, int) error { return nil }, Option{}, Chunk(0), Degree(0)))
}

func TestTheFirstErrorStopsTheRestAndCancelsTheirContext(t *testing.T) {
	onEach(t, func(t *testing.T, ctx context.Context) {
		var after atomic.Int32
		err := For(ctx, 0, 100_000, func(ctx context.Context, i int) error {
			if i == 0 {
				return errBody
			}
			if context.Cause(ctx) != nil {
				after.Add(1)
			}
			return nil
		}, Degree(4))
		require.ErrorIs(t, err, errBody)
		assert.LessOrEqual(t, after.Load(), int32(3), "only those that had begun may see the end")
	})
}

func TestABodyThatRunsSeesTheErrorOfAnotherAsTheCause(t *testing.T) {
	together := meet(2)
	var cause error
	err := For(schedulers.With(context.Background(), each{}), 0, 2, func(ctx context.Context, i int) error {
		together()
		if i == 0 {
			return errBody
		}
		<-ctx.Done()
		cause = context.Cause(ctx)
		return ctx.Err()
	}, Degree(2), Chunk(1))
	require.Equal(t, errBody, err, "the first error, not the cancellation that it caused")
	assert.Equal(t, errBody, cause)
}

// What a body says besides that it was canceled is a failure of its own.
func TestAFailureAfterTheFirstIsNotLost(t *testing.T) {
	errFlush := errors.New("flush")
	for name, stop := range map[string]func(cancel context.CancelFunc) error{
		"an error": func(context.CancelFunc) error { return errBody },
		"the end of the caller's context": func(cancel context.CancelFunc) error {
			cancel()
			return context.Canceled
		},
	} {
		ctx, cancel := context.WithCancel(schedulers.With(context.Background(), each{}))
		together := meet(3)
		err := For(ctx, 0, 3, func(ctx context.Context, i int) error {
			together()
			if i == 0 {
				return stop(cancel)
			}
			<-ctx.Done()
			if i == 1 {
				return errors.Join(ctx.Err(), errFlush)
			}
			return ctx.Err()
		}, Degree(3), Chunk(1))
		cancel()
		require.ErrorIs(t, err, errFlush, name)
		if name == "an error" {
			require.ErrorIs(t, err, errBody)
			assert.Len(t, err.(interface{ Unwrap() []error }).Unwrap(), 2, "the end of the third adds nothing")
		}
	}
}

func TestAnErrorThatSeveralBodiesReturnIsReturnedOnce(t *testing.T) {
	together := meet(4)
	err := For(schedulers.With(context.Background(), each{}), 0, 4, func(context.Context, int) error {
		together()
		return errBody
	}, Degree(4), Chunk(1))
	assert.Equal(t, errBody, err)
}

func TestAPanicOnTheCallerAndOnAHelper(t *testing.T) {
	for _, crashing := range []int{0, 1} {
		t.Run(fmt.Sprint(crashing), func(t *testing.T) {
			together := meet(2)
			ended := 0
			err := For(schedulers.With(context.Background(), each{}), 0, 2, func(ctx context.Context, i int) error {
				together()
				if i == crashing {
					panic(errBody)
				}
				<-ctx.Done()
				ended++
				return nil
			}, Degree(2), Chunk(1))
			var p *job.PanicError
			require.ErrorAs(t, err, &p)
			assert.Equal(t, errBody, p.Value)
			assert.ErrorIs(t, err, errBody)
			assert.Contains(t, string(p.Stack), "TestAPanicOnTheCallerAndOnAHelper", "the stack of the panic")
			assert.Equal(t, 1, ended, "the other body has ended when For returns")
		})
	}
}

func TestAPanicAfterAnErrorIsNotHidden(t *testing.T) {
	together := meet(2)
	err := For(schedulers.With(context.Background(), each{}), 0, 2, func(ctx context.Context, i int) error {
		together()
		if i == 0 {
			return errBody
		}
		<-ctx.Done()
		panic("late")
	}, Degree(2), Chunk(1))
	var p *job.PanicError
	assert.ErrorIs(t, err, errBody)
	require.ErrorAs(t, err, &p)
	assert.Equal(t, "late", p.Value)
}

func TestAGoexitEndsTheCallerWhereverItHappened(t *testing.T) {
	for _, exiting := range []int{0, 1} {
		t.Run(fmt.Sprint(exiting), func(t *testing.T) {
			together := meet(2)
			ended := false
			assert.True(t, exits(func() {
				_ = For(schedulers.With(context.Background(), each{}), 0, 2, func(ctx context.Context, i int) error {
					together()
					if i == exiting {
						runtime.Goexit()
					}
					<-ctx.Done()
					assert.ErrorIs(t, context.Cause(ctx), job.ErrGoexit)
					ended = true
					return nil
				}, Degree(2), Chunk(1))
			}))
			assert.True(t, ended, "the other body has ended before the caller's goroutine did")
		})
	}
}

func TestAGoexitWithAPanicInADeferredCallEndsTheCaller(t *testing.T) {
	var failures []error
	before := job.OnUnobserved(func(f job.Failure) { failures = append(failures, f.Err) })
	defer job.OnUnobserved(before)
	for _, exiting := range []int{0, 1} {
		together := meet(2)
		assert.True(t, exits(func() {
			_ = For(schedulers.With(context.Background(), each{}), 0, 2, func(ctx context.Context, i int) error {
				together()
				if i == exiting {
					defer func() { panic("while exiting") }()
					runtime.Goexit()
				}
				<-ctx.Done()
				return nil
			}, Degree(2), Chunk(1))
		}))
	}
	job.ReportUnobserved()
	require.Len(t, failures, 2, "the caller, which has exited, cannot get them")
	for _, err := range failures {
		var p *job.PanicError
		require.ErrorAs(t, err, &p)
		assert.Equal(t, "while exiting", p.Value)
	}
}

func TestAContextThatHasEndedRunsNothing(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errBody)
	err := For(ctx, 0, 1, func(context.Context, int) error { panic("must not run") })
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorIs(t, err, errBody)
}

func TestAContextThatEndsStopsTheLoop(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ran := 0
	err := For(ctx, 0, 1000, func(body context.Context, i int) error {
		ran++
		if i == 10 {
			cancel()
			assert.ErrorIs(t, body.Err(), context.Canceled)
		}
		return nil
	}, Degree(1))
	assert.Equal(t, context.Canceled, err)
	assert.Equal(t, 11, ran)
}

func TestALoopWithAllBodiesDoneSucceedsWhateverItsContextDid(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	err := For(ctx, 0, 1, func(context.Context, int) error {
		cancel()
		return nil
	})
	assert.NoError(t, err)
}

func TestANilContextIsBackground(t *testing.T) {
	ran := false
	var none context.Context
	require.NoError(t, For(none, 0, 1, func(ctx context.Context, _ int) error {
		ran = ctx.Err() == nil
		return nil
	}))
	assert.True(t, ran)
}

func TestLoopsInLoopsInsideOfTheOnlyWorker(t *testing.T) {
	inWorker(t, func(ctx context.Context) {
		var ran atomic.Int32
		err := For(ctx, 0, 10, func(ctx context.Context, _ int) error {
			return For(ctx, 0, 10, func(ctx context.Context, _ int) error {
				return For(ctx, 0, 10, func(context.Context, int) error {
					ran.Add(1)
					return nil
				}, Degree(4))
			}, Degree(4))
		}, Degree(4))
		assert.NoError(t, err)
		assert.EqualValues(t, 1000, ran.Load())
	})
}

func TestAMillionFunctionsAreAFewPiecesOfWork(t *testing.T) {
	s := &held{}
	var ran int
	funcs := make([]func(context.Context) error, 1_000_000)
	for i := range funcs {
		funcs[i] = func(context.Context) error { ran++; return nil }
	}
	require.NoError(t, Invoke(schedulers.With(context.Background(), s), funcs...))
	assert.Equal(t, len(funcs), ran)
	assert.LessOrEqual(t, s.len(), 1, "one call for help, without an answer")
}

func TestAStoppedLoopOfBlocksBeginsNoOther(t *testing.T) {
	began := 0
	err := ForBlocks(context.Background(), 0, 100, func(context.Context, int, int) error {
		began++
		return errBody
	}, Chunk(1), Degree(1))
	require.Equal(t, errBody, err)
	assert.Equal(t, 1, began)

	ctx, cancel := context.WithCancel(context.Background())
	began = 0
	err = ForBlocks(ctx, 0, 100, func(context.Context, int, int) error {
		began++
		cancel()
		return nil
	}, Chunk(1), Degree(1))
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, began)
}
