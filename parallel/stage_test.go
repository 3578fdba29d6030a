package parallel

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
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

// counted is the stream 0, 1, … n-1, with an error instead of element bad.
func counted(c *count, bad int) *job.Stream[int] {
	return job.StreamOf(func(yield func(int, error) bool) {
		for i := range c.all() {
			if i == bad {
				yield(0, errBody)
				return
			}
			if !yield(i, nil) {
				return
			}
		}
	})
}

// collect ranges over a stage until it has n results, or ends.
//
//movenext:async
func collect(ctx context.Context, in *job.Stream[int], body func(context.Context, int) *job.Job[int], n int, opts []Option) (all []int, err error) {
	for v, err := range Stage(ctx, in, body, opts...) {
		if err != nil {
			return all, err
		}
		if all = append(all, v); len(all) == n {
			break
		}
	}
	return all, nil
}

// stageForms calls test with the plain form of collect and with its machine.
func stageForms(t *testing.T, test func(t *testing.T, collect func(context.Context, *job.Stream[int], func(context.Context, int) *job.Job[int], int, []Option) ([]int, error))) {
	t.Run("plain", func(t *testing.T) { test(t, collect) })
	t.Run("machine", func(t *testing.T) {
		test(t, func(ctx context.Context, in *job.Stream[int], body func(context.Context, int) *job.Job[int], n int, opts []Option) ([]int, error) {
			j := collectAsync(ctx, in, body, n, opts)
			<-j.Done()
			return j.GetResult()
		})
	})
}

// inBubble calls test in a synctest bubble, with a new pool: the timers of a scheduler
// belong to one bubble.
func inBubble(t *testing.T, test func(t *testing.T, ctx context.Context)) {
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(pool.Workers(2, 2))
		test(t, schedulers.With(t.Context(), p))
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

type collector = func(context.Context, *job.Stream[int], func(context.Context, int) *job.Job[int], int, []Option) ([]int, error)

func TestAStageOnEachScheduler(t *testing.T) {
	one, four := pool.New(pool.Workers(1, 1)), pool.New(pool.Workers(4, 4))
	square := func(ctx context.Context, i int) *job.Job[int] {
		if i%3 == 0 {
			return job.FromResult(i * i)
		}
		return job.Run(ctx, func(context.Context) (int, error) { return i * i, nil })
	}
	stageForms(t, func(t *testing.T, collect collector) {
		for _, s := range []schedulers.Scheduler{nil, one, four, each{}, inline{}} {
			ctx := schedulers.With(context.Background(), s)
			for _, n := range []int{0, 1, 100} {
				want := make([]int, 0, n)
				for i := range n {
					want = append(want, i*i)
				}
				for _, degree := range []int{1, 3, 1000} {
					c := count{n: n}
					got, err := collect(ctx, counted(&c, none), square, none, []Option{Degree(degree)})
					require.NoError(t, err)
					require.Equal(t, want, append([]int{}, got...))
					got, err = collect(ctx, counted(&count{n: n}, none), square, none, []Option{Degree(degree), AsCompleted()})
					require.NoError(t, err)
					require.ElementsMatch(t, want, got)
				}
			}
		}
	})
	require.NoError(t, errors.Join(one.Shutdown(t.Context()), four.Shutdown(t.Context())))
}

// naps sleeps for the milliseconds of a value, and returns the value.
func naps(ctx context.Context, i int) *job.Job[int] {
	return job.Then(ctx, job.SleepAsync(ctx, time.Duration(i)*time.Millisecond), func(context.Context, job.Void) (int, error) { return i, nil })
}

func valuesOf(items ...int) *job.Stream[int] { return FromSlice(items) }

func TestAStageTakesTheTimeOfItsDegree(t *testing.T) {
	stageForms(t, func(t *testing.T, collect collector) {
		for _, c := range []struct {
			degree int
			opts   []Option
			want   []int
			took   time.Duration
		}{
			{1, nil, []int{30, 10, 20, 10}, 70 * time.Millisecond},
			{2, nil, []int{30, 10, 20, 10}, 50 * time.Millisecond},
			{4, nil, []int{30, 10, 20, 10}, 30 * time.Millisecond},
			{2, []Option{AsCompleted()}, []int{10, 30, 20, 10}, 40 * time.Millisecond},
		} {
			inBubble(t, func(t *testing.T, ctx context.Context) {
				begin := time.Now()
				got, err := collect(ctx, valuesOf(30, 10, 20, 10), naps, none, append(c.opts, Degree(c.degree)))
				require.NoError(t, err)
				if c.opts == nil {
					assert.Equal(t, c.want, got)
				} else {
					assert.ElementsMatch(t, c.want, got)
					assert.Equal(t, 10, got[0])
				}
				assert.Equal(t, c.took, time.Since(begin), "degree %d, %v", c.degree, c.opts)
			})
		}
	})
}

func TestAStageReadsNoFurtherThanItsDegree(t *testing.T) {
	stageForms(t, func(t *testing.T, collect collector) {
		for _, degree := range []int{1, 3} {
			c := count{n: 1000}
			got, err := collect(context.Background(), counted(&c, none), func(_ context.Context, i int) *job.Job[int] { return job.FromResult(i) }, 5, []Option{Degree(degree)})
			require.NoError(t, err)
			assert.Equal(t, ints(5), got)
			assert.LessOrEqual(t, c.asked.Load(), int64(5+degree))
			assert.True(t, c.ended.Load(), "its deferred calls have run")
		}
	})
}

func TestAStageThatIsLeftCancelsItsBodiesAndWaitsForThem(t *testing.T) {
	stageForms(t, func(t *testing.T, collect collector) {
		inBubble(t, func(t *testing.T, ctx context.Context) {
			var canceled atomic.Int32
			got, err := collect(ctx, valuesOf(1, 2, 3, 4), func(ctx context.Context, i int) *job.Job[int] {
				if i == 1 {
					return naps(ctx, i)
				}
				return job.Run(ctx, func(ctx context.Context) (int, error) {
					<-ctx.Done()
					time.Sleep(time.Second)
					canceled.Add(1)
					return 0, ctx.Err()
				}, job.LongRunning())
			}, 1, []Option{Degree(4)})
			require.NoError(t, err)
			assert.Equal(t, []int{1}, got)
			assert.EqualValues(t, 3, canceled.Load())
		})
	})
}

// A panic is never left out, whatever its value is.
func TestAPanicWithErrSkipFailsAStage(t *testing.T) {
	stageForms(t, func(t *testing.T, collect collector) {
		inBubble(t, func(t *testing.T, ctx context.Context) {
			got, err := collect(ctx, valuesOf(1, 2, 3), func(ctx context.Context, i int) *job.Job[int] {
				return job.Run(ctx, func(context.Context) (int, error) {
					if i == 2 {
						panic(ErrSkip)
					}
					return i, nil
				})
			}, none, []Option{Degree(1)})
			var p *job.PanicError
			require.ErrorAs(t, err, &p)
			assert.Equal(t, []int{1}, got)
		})
	})
}

func TestAnErrorWithErrSkipAndAnotherFailsAStage(t *testing.T) {
	errFlush := errors.New("flush")
	stageForms(t, func(t *testing.T, collect collector) {
		inBubble(t, func(t *testing.T, ctx context.Context) {
			got, err := collect(ctx, valuesOf(1, 2, 3), func(ctx context.Context, i int) *job.Job[int] {
				return job.Run(ctx, func(context.Context) (int, error) {
					switch i {
					case 1:
						return i, fmt.Errorf("odd: %w", ErrSkip)
					case 2:
						return i, errors.Join(ErrSkip, errFlush)
					}
					return i, nil
				})
			}, none, []Option{Degree(1)})
			require.ErrorIs(t, err, errFlush)
			assert.Empty(t, got)
		})
	})
}

// The consumer has left and gets no error: the hook does.
func TestAFailureInAStageThatIsLeftIsNotLost(t *testing.T) {
	errFlush := errors.New("flush")
	job.ReportUnobserved() // what earlier tests have left
	heard := make(chan error, 10)
	defer job.OnUnobserved(job.OnUnobserved(func(f job.Failure) { heard <- f.Err }))
	stageForms(t, func(t *testing.T, collect collector) {
		inBubble(t, func(t *testing.T, ctx context.Context) {
			began := make(chan struct{})
			got, err := collect(ctx, valuesOf(1, 2), func(ctx context.Context, i int) *job.Job[int] {
				if i == 1 {
					return naps(ctx, i)
				}
				return job.Run(ctx, func(ctx context.Context) (int, error) {
					close(began)
					<-ctx.Done()
					return 0, errors.Join(ctx.Err(), errFlush)
				}, job.LongRunning())
			}, 1, []Option{Degree(2)})
			require.NoError(t, err)
			assert.Equal(t, []int{1}, got)
			<-began
		})
		assert.Equal(t, 1, job.ReportUnobserved())
		assert.ErrorIs(t, <-heard, errFlush)
	})
}

func TestAStageEndsWithItsFirstFailure(t *testing.T) {
	even := func(ctx context.Context, i int) *job.Job[int] {
		switch {
		case i == 7:
			return nil
		case i%2 == 0:
			return naps(ctx, i)
		}
		return job.FromError[int](fmt.Errorf("%d: %w", i, ErrSkip))
	}
	stageForms(t, func(t *testing.T, collect collector) {
		inBubble(t, func(t *testing.T, ctx context.Context) {
			got, err := collect(ctx, counted(&count{n: 9}, none), even, none, []Option{Degree(4)})
			require.ErrorIs(t, err, job.ErrNilJob)
			assert.Equal(t, []int{0, 2, 4, 6}, got)

			got, err = collect(ctx, counted(&count{n: 9}, 5), even, none, []Option{Degree(4)})
			require.ErrorIs(t, err, errBody, "of the stream, after what came before it")
			assert.Equal(t, []int{0, 2, 4}, got)

			ctx, cancel := context.WithCancelCause(ctx)
			got, err = collect(ctx, valuesOf(1, 2), func(ctx context.Context, i int) *job.Job[int] {
				if i == 2 {
					cancel(errBody)
				}
				return naps(ctx, 10*i)
			}, none, []Option{Degree(2)})
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorIs(t, err, errBody)
			assert.Empty(t, got)
		})

		for _, opts := range [][]Option{{Degree(-1)}, {Chunk(-1)}} {
			_, err := collect(context.Background(), valuesOf(1), naps, none, opts)
			require.ErrorIs(t, err, ErrOption)
		}
		_, err := collect(context.Background(), valuesOf(1), nil, none, nil)
		require.ErrorIs(t, err, ErrNilFunc)
		_, err = collect(context.Background(), nil, naps, none, nil)
		require.ErrorIs(t, err, ErrNilFunc)
	})
}

func TestAPanicOfABodyContinuesInTheRange(t *testing.T) {
	stageForms(t, func(t *testing.T, collect collector) {
		var ended atomic.Bool
		begun := make(chan struct{})
		body := func(ctx context.Context, i int) *job.Job[int] {
			if i == 2 {
				<-begun
				panic("oops")
			}
			return job.Run(ctx, func(ctx context.Context) (int, error) {
				close(begun)
				<-ctx.Done()
				ended.Store(true)
				return 0, ctx.Err()
			}, job.LongRunning())
		}
		got := func() (v any) {
			defer func() {
				if r := recover(); r != nil {
					v = r
				}
			}()
			_, err := collect(context.Background(), valuesOf(1, 2), body, none, []Option{Degree(2)})
			return err
		}()
		if p, ok := got.(*job.PanicError); ok {
			got = p.Value
		}
		assert.Equal(t, "oops", got)
		assert.True(t, ended.Load())
	})
}

// Two stages, the second of them slow: the first is never further ahead than both degrees.
func TestAPipelineIsAsFastAsItsConsumer(t *testing.T) {
	c := count{n: 100}
	var most int64
	first := StageAsync(context.Background(), counted(&c, none), func(_ context.Context, i int) *job.Job[int] { return job.FromResult(i) }, Degree(2))
	i := 0
	for v, err := range Stage(context.Background(), first, func(_ context.Context, i int) *job.Job[int] { return job.FromResult(i) }, Degree(3)) {
		require.NoError(t, err)
		require.Equal(t, i, v)
		i++
		most = max(most, c.asked.Load()-int64(i))
	}
	assert.Equal(t, 100, i)
	assert.LessOrEqual(t, most, int64(2+3))
}

func TestASliceAndASequenceAreStreams(t *testing.T) {
	for _, s := range []*job.Stream[int]{FromSeq(slices.Values(ints(3))), FromSlice(ints(3)), FromSlice(namedSlice{0, 1, 2})} {
		for range 2 {
			var got []int
			for v, err := range s.All() {
				require.NoError(t, err)
				got = append(got, v)
			}
			assert.Equal(t, ints(3), got)
		}
	}
	for _, err := range FromSeq(iter.Seq[int](nil)).All() {
		require.ErrorIs(t, err, ErrNilFunc)
	}
}
