package parallel

import (
	"context"
	"iter"
	"maps"
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

type (
	namedSlice []int
	namedSeq   func(func(int) bool)
)

// count is the sequence 0, 1, … n-1. It records how many items were requested, and
// whether it has ended.
type count struct {
	n     int
	asked atomic.Int64
	ended atomic.Bool
}

func (c *count) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		defer c.ended.Store(true)
		for i := range c.n {
			c.asked.Add(1)
			if !yield(i) {
				return
			}
		}
	}
}

func ints(n int) []int { return slices.Collect((&count{n: n}).all()) }

func TestEachItemOfASequenceOnceOnEachScheduler(t *testing.T) {
	onEach(t, func(t *testing.T, ctx context.Context) {
		for _, n := range []int{0, 1, 2, 1000} {
			for _, opts := range [][]Option{nil, {Degree(1)}, {Degree(5)}, {Degree(3), Chunk(1)}, {Degree(3), Chunk(10)}} {
				ran := make([]atomic.Int32, n)
				c := count{n: n}
				require.NoError(t, ForEach(ctx, c.all(), func(_ context.Context, i int) error {
					ran[i].Add(1)
					return nil
				}, opts...))
				assert.True(t, c.ended.Load())
				for i := range ran {
					require.EqualValues(t, 1, ran[i].Load())
				}
			}
		}
	})
}

func TestItemsOfAllKinds(t *testing.T) {
	ctx := context.Background()
	var sum atomic.Int64
	add := func(_ context.Context, i int) error { sum.Add(int64(i)); return nil }
	require.NoError(t, ForEach(ctx, []int{1, 2}, add))
	require.NoError(t, ForEach(ctx, namedSlice{3, 4}, add))
	require.NoError(t, ForEach(ctx, slices.Values([]int{5}), add))
	require.NoError(t, ForEach(ctx, namedSeq(slices.Values([]int{6})), add))
	require.NoError(t, ForEach(ctx, func(yield func(int) bool) { yield(7) }, add))
	require.NoError(t, ForEach(ctx, maps.Keys(map[int]bool{8: true}), add))
	require.NoError(t, ForEach(ctx, []int(nil), add))
	assert.EqualValues(t, 36, sum.Load())
	assert.ErrorIs(t, ForEach(ctx, iter.Seq[int](nil), add), ErrNilFunc)
	assert.ErrorIs(t, ForEach[[]int, int](ctx, []int{1}, nil), ErrNilFunc)
	assert.ErrorIs(t, ForEach(ctx, slices.Values([]int{1}), add, Degree(-1)), ErrOption)
}

func TestAStoppedLoopAsksItsSequenceForNothingMoreAndEndsIt(t *testing.T) {
	for _, degree := range []int{1, 4} {
		c := count{n: 1000}
		err := ForEach(schedulers.With(context.Background(), each{}), c.all(), func(ctx context.Context, i int) error {
			if i == 3 {
				return errBody
			}
			if i > 3 {
				<-ctx.Done() // so that item 3 is handled first
			}
			return nil
		}, Degree(degree), Chunk(1))
		require.ErrorIs(t, err, errBody)
		assert.True(t, c.ended.Load(), "its deferred calls have run")
		assert.LessOrEqual(t, c.asked.Load(), int64(4+degree-1))
	}
}

func TestASequenceIsNotRunAheadOfSlowBodies(t *testing.T) {
	c := count{n: 100}
	begun, looked := meet(3), meet(3)
	err := ForEach(schedulers.With(context.Background(), each{}), c.all(), func(_ context.Context, i int) error {
		if i < 3 {
			begun()
			assert.EqualValues(t, 3, c.asked.Load(), "three bodies run, and no fourth was asked for")
			looked()
		}
		return nil
	}, Degree(3))
	require.NoError(t, err)
}

func TestASequenceThatPanicsOrExits(t *testing.T) {
	ctx := schedulers.With(context.Background(), each{})
	body := func(context.Context, int) error { return nil }
	for _, degree := range []int{1, 3} {
		err := ForEach(ctx, func(yield func(int) bool) { yield(1); panic(errBody) }, body, Degree(degree))
		var p *job.PanicError
		require.ErrorAs(t, err, &p)
		assert.Equal(t, errBody, p.Value)
		assert.True(t, exits(func() {
			_ = ForEach(ctx, func(yield func(int) bool) { yield(1); runtime.Goexit() }, body, Degree(degree))
		}))
	}
}

func TestABodyThatExitsEndsTheSequenceToo(t *testing.T) {
	for _, exiting := range []int{0, 1} {
		c, together := count{n: 100}, meet(2)
		assert.True(t, exits(func() {
			_ = ForEach(schedulers.With(context.Background(), each{}), c.all(), func(_ context.Context, i int) error {
				if i < 2 {
					together()
				}
				if i == exiting {
					runtime.Goexit()
				}
				return nil
			}, Degree(2), Chunk(1))
		}))
		assert.True(t, c.ended.Load())
	}
}

func TestASequenceOfAChannelLosesNothingToALoopThatStops(t *testing.T) {
	ch := make(chan int, 100)
	for i := range 100 {
		ch <- i
	}
	close(ch)
	fromChannel := func(yield func(int) bool) {
		for v := range ch {
			if !yield(v) {
				return
			}
		}
	}
	var began atomic.Int32
	err := ForEach(schedulers.With(context.Background(), each{}), fromChannel, func(_ context.Context, i int) error {
		began.Add(1)
		if i == 10 {
			return errBody
		}
		return nil
	}, Degree(2), Chunk(1))
	require.ErrorIs(t, err, errBody)
	assert.LessOrEqual(t, 100-len(ch)-int(began.Load()), 2, "at most one for each member was taken and not begun")
}

// The sequence waits for the effect of the last item's body: an item held back until
// more arrive would be held back forever.
func TestASequenceThatIsFedByItsOwnBodies(t *testing.T) {
	next := make(chan int, 1)
	next <- 100
	chain := func(yield func(int) bool) {
		for v := range next {
			if !yield(v) {
				return
			}
		}
	}
	ran := 0
	require.NoError(t, ForEach(schedulers.With(context.Background(), each{}), chain, func(_ context.Context, i int) error {
		ran++
		if i == 0 {
			close(next)
		} else {
			next <- i - 1
		}
		return nil
	}, Degree(4)))
	assert.Equal(t, 101, ran)
}

func TestHelpersDoNotHoldWorkersWhileASequenceIsSlow(t *testing.T) {
	s := &held{}
	step, asked := make(chan int), make(chan struct{}, 2)
	slow := func(yield func(int) bool) {
		for v := range step {
			if !yield(v) {
				return
			}
			asked <- struct{}{}
		}
	}
	var ran sync.WaitGroup
	ran.Add(2)
	done := make(chan error)
	go func() {
		done <- ForEach(schedulers.With(context.Background(), s), slow, func(context.Context, int) error {
			ran.Done()
			return nil
		}, Degree(2))
	}()
	step <- 1
	<-asked           // the caller has got it, called a helper, and waits for the next item
	s.take().Run(nil) // does not block: the caller has the baton
	step <- 2
	ran.Wait()
	close(step)
	require.NoError(t, <-done)
}

func TestMapInOrderAndAsCompleted(t *testing.T) {
	onEach(t, func(t *testing.T, ctx context.Context) {
		in := ints(500)
		double := func(_ context.Context, i int) (int, error) {
			if i%7 == 0 {
				runtime.Gosched()
			}
			return 2 * i, nil
		}
		want, err := Map(ctx, in, double, Degree(1))
		require.NoError(t, err)
		for _, opts := range [][]Option{{Ordered()}, {Chunk(1)}, {AsCompleted()}} {
			fromSlice, err := Map(ctx, in, double, append(opts, Degree(4))...)
			require.NoError(t, err)
			fromSeq, err := Map(ctx, slices.Values(in), double, append(opts, Degree(4))...)
			require.NoError(t, err)
			if opts[0] == AsCompleted() {
				slices.Sort(fromSlice)
				slices.Sort(fromSeq)
			}
			require.Equal(t, want, fromSlice)
			require.Equal(t, want, fromSeq)
		}
	})
}

func TestMapAsCompletedIsInTheOrderOfCompletion(t *testing.T) {
	second := make(chan struct{})
	got, err := Map(schedulers.With(context.Background(), each{}), []int{1, 2}, func(_ context.Context, i int) (int, error) {
		if i == 1 {
			<-second
		} else {
			defer close(second)
		}
		return i, nil
	}, Degree(2), Chunk(1), Ordered())
	require.NoError(t, err)
	assert.Equal(t, []int{1, 2}, got)

	out := newResults[int](2, true, settings{asCompleted: true})
	_ = out.keep(1, 20, nil)
	_ = out.keep(0, 10, nil)
	assert.Equal(t, []int{20, 10}, out.all)
}

func TestMapWithoutItemsAndWithFailures(t *testing.T) {
	ctx := context.Background()
	f := func(_ context.Context, i int) (int, error) { return i, errBody }
	got, err := Map(ctx, []int{}, f)
	require.NoError(t, err)
	assert.Equal(t, []int{}, got)
	got, err = Map(ctx, []int{1}, f)
	assert.Equal(t, errBody, err)
	assert.Nil(t, got)
	_, err = Map[[]int, int, int](ctx, []int{1}, nil)
	assert.ErrorIs(t, err, ErrNilFunc)
	_, err = Map(ctx, []int{1}, f, Chunk(-1))
	assert.ErrorIs(t, err, ErrOption)
}
