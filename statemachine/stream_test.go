package statemachine_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// history records what happened, in order. It is used by one machine at a time.
type history []string

func (h *history) add(format string, args ...any) { *h = append(*h, fmt.Sprintf(format, args...)) }

// letters yields the results of the jobs, and awaits after when it is stopped.
//
//movenext:async
func letters(h *history, jobs []*job.Job[string], after *job.Job[string]) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		h.add("begins")
		defer h.add("ends")
		for _, j := range jobs {
			s, err := j.Await()
			h.add("yields %s", s)
			if !yield(s, err) {
				s, _ = after.Await()
				h.add("stopped, %s", s)
				return
			}
		}
	}
}

//movenext:async
func collect(h *history, s *job.Stream[string], until string) ([]string, error) {
	var list []string
	for v, err := range s.All() {
		if err != nil {
			return list, err
		}
		h.add("gets %s", v)
		if list = append(list, v); v == until {
			break
		}
	}
	h.add("leaves")
	return list, nil
}

func words(list ...string) (jobs []*job.Job[string]) {
	for _, s := range list {
		jobs = append(jobs, job.FromResult(s))
	}
	return jobs
}

func TestAStreamContinuesWhenTheNextValueIsWantedAndNotBefore(t *testing.T) {
	var h history
	s := lettersAsync(&h, words("a", "b"), nil)
	assert.Empty(t, h, "nothing happens before it is ranged over")
	list, err := collectAsync(&h, s, "").Wait(context.Background())
	assert.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, list)
	assert.Equal(t, history{"begins", "yields a", "gets a", "yields b", "gets b", "ends", "leaves"}, h)
}

func TestALoopThatIsLeftWhileTheStreamSuspendsWaitsForIt(t *testing.T) {
	var h history
	source, after := job.NewSource[string](), job.NewSource[string]()
	s := lettersAsync(&h, []*job.Job[string]{source.Job(), nil}, after.Job())
	ctx := oneWorker(t)
	j := job.Unwrap(ctx, job.Run(ctx, func(context.Context) (*job.Job[[]string], error) {
		return collectAsync(&h, s, "a"), nil
	}))
	source.TrySetResult("a")
	require.Eventually(t, func() bool { return len(job.AsyncStack(after.Job())) > 1 }, time.Minute, time.Microsecond,
		"the stream waits for it")
	after.TrySetResult("cleaned up")
	list, err := j.Wait(context.Background())
	assert.NoError(t, err)
	assert.Equal(t, []string{"a"}, list)
	assert.Equal(t, history{"begins", "yields a", "gets a", "stopped, cleaned up", "ends", "leaves"}, h)
}

func TestAStreamShowsInTheAsynchronousStackBelowItsLoop(t *testing.T) {
	source := job.NewSource[string]()
	j := collectAsync(new(history), lettersAsync(new(history), []*job.Job[string]{source.Job()}, nil), "")
	var functions []string
	for _, f := range job.AsyncStack(source.Job()) {
		if f.Function != "" {
			functions = append(functions, f.Function[len("github.com/movenext/movenext/statemachine_test."):])
		}
	}
	assert.Equal(t, []string{"letters", "collect"}, functions)
	source.TrySetError(errors.New("no letters"))
	_, err := j.Wait(context.Background())
	assert.EqualError(t, err, "no letters")
}

func TestPlainCodeRangesOverAStream(t *testing.T) {
	for _, until := range []string{"", "a", "b"} {
		var plain, machine history
		for name, h := range map[string]*history{"plain": &plain, "machine": &machine} {
			after := job.SleepAsync(context.Background(), time.Microsecond)
			cleaned := job.Then(context.Background(), after, func(context.Context, job.Void) (string, error) { return "cleaned up", nil })
			seq := letters(h, words("a", "b"), cleaned)
			if name == "machine" {
				seq = lettersAsync(h, words("a", "b"), cleaned).All()
			}
			for v, err := range seq {
				h.add("gets %s %v", v, err)
				if v == until {
					break
				}
			}
		}
		assert.Equal(t, plain, machine)
	}
}

func TestAPanicInAPlainLoopPassesThroughTheStream(t *testing.T) {
	var h history
	assert.PanicsWithValue(t, "in the body <nil>", func() {
		for _, err := range lettersAsync(&h, words("a", "b"), nil).All() {
			panic(fmt.Sprint("in the body ", err))
		}
	})
	assert.Equal(t, history{"begins", "yields a", "ends"}, h)

	h = nil
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, err := range lettersAsync(&h, words("a", "b"), nil).All() {
			h.add("exits %v", err)
			runtime.Goexit()
		}
	}()
	<-done
	assert.Equal(t, history{"begins", "yields a", "exits <nil>", "ends"}, h)
}

//movenext:async
func forgiving(after *job.Job[string]) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		defer func() { _ = recover() }()
		s, err := after.Await()
		yield(s, err)
	}
}

func TestAStreamThatRecoversItsLoopsPanicIsFoundOutInPlainCodeToo(t *testing.T) {
	assert.PanicsWithError(t, "runtime error: range function recovered a loop body panic and did not resume panicking", func() {
		for _, err := range forgivingAsync(job.FromResult("")).All() {
			panic(err)
		}
	})
}

//movenext:async
func exitsIn(h *history, s *job.Stream[string], first *job.Job[string]) {
	defer h.add("loop's function ends")
	_, _ = first.Await()
	for _, err := range s.All() {
		h.add("exits %v", err)
		runtime.Goexit()
	}
}

func TestGoexitInALoopPassesThroughMachinesAndPlainSequences(t *testing.T) {
	var h history
	for _, s := range []*job.Stream[string]{
		lettersAsync(&h, words("a"), nil),
		job.StreamOf(letters(&h, words("a"), nil)),
	} {
		h = nil
		first := job.NewSource[string]()
		j := exitsInAsync(&h, s, first.Job())
		first.TrySetResult("")
		_, err := j.Wait(context.Background())
		assert.Equal(t, job.ErrGoexit, err)
		assert.Equal(t, history{"begins", "yields a", "exits <nil>", "ends", "loop's function ends"}, h)
	}
}

//movenext:async
func drain(ctx context.Context, s *job.Stream[int], pause *job.Job[job.Void]) (sum int, err error) {
	for v, err := range s.All() {
		if err != nil {
			return sum, err
		}
		if _, err := pause.Await(); err != nil {
			return sum, err
		}
		sum += v
	}
	return sum, nil
}

func upTo(n int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
	}
}

func TestAPlainSequenceContinuesWhenItsLoopsHomeIsGone(t *testing.T) {
	p := pool.New(pool.Workers(1, 1))
	gate := make(chan struct{})
	seq := func(yield func(int, error) bool) {
		<-gate
		upTo(3)(yield)
	}
	j := drainAsync(schedulers.With(context.Background(), p), job.StreamOf(seq), job.FromResult(job.Void{}))
	require.NoError(t, p.Shutdown(context.Background()))
	close(gate)
	sum, err := j.Wait(context.Background())
	assert.NoError(t, err)
	assert.Equal(t, 3, sum)
}

func TestLoopsOverPlainSequencesInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(pool.Workers(2, 2))
		ctx := schedulers.With(context.Background(), p)
		for range 50 {
			sum, err := drainAsync(ctx, job.StreamOf(upTo(100)), job.SleepAsync(ctx, time.Millisecond)).Wait(ctx)
			require.NoError(t, err)
			require.Equal(t, 4950, sum)
		}
		require.NoError(t, p.Shutdown(ctx))
	})
}

func TestAValueOfAStreamCostsNoAllocation(t *testing.T) {
	done := job.FromResult(job.Void{})
	ctx := context.Background()
	of := func(n int) float64 {
		return testing.AllocsPerRun(100, func() { _, _ = drainAsync(ctx, remainingAsync(n), done).Wait(ctx) })
	}
	assert.Equal(t, of(10), of(1000))
}

// remaining yields the numbers below n, from the top.
//
//movenext:async
func remaining(n int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for n > 0 {
			n--
			if !yield(n, nil) {
				return
			}
		}
	}
}

func TestRangesOverOneStreamShareTheFunctionsParameters(t *testing.T) {
	seq, machine := remaining(5), remainingAsync(5).All()
	for range 3 {
		var plain, twin []int
		for _, form := range []struct {
			seq iter.Seq2[int, error]
			got *[]int
		}{{seq, &plain}, {machine, &twin}} {
			for v, err := range form.seq {
				require.NoError(t, err)
				if *form.got = append(*form.got, v); v == 3 {
					break
				}
			}
		}
		assert.Equal(t, plain, twin)
	}
}

func TestAStreamOfNothing(t *testing.T) {
	for _, s := range []*job.Stream[int]{nil, job.StreamOf[int](nil)} {
		_, err := drainAsync(context.Background(), s, nil).Wait(context.Background())
		assert.Equal(t, job.ErrNilFunc, err)
		for v, err := range s.All() {
			assert.Zero(t, v)
			assert.Equal(t, job.ErrNilFunc, err)
		}
	}
	for range remainingAsync(0).All() { //nolint:errcheck // there is none, which is the point
		assert.Fail(t, "nothing to count")
	}
}

func TestThePlainFormsDoTheSame(t *testing.T) {
	var h history
	done := job.FromResult("done")
	list, err := collect(&h, job.StreamOf(letters(&h, words("a", "b"), done)), "a")
	assert.NoError(t, err)
	assert.Equal(t, []string{"a"}, list)
	assert.Equal(t, history{"begins", "yields a", "gets a", "stopped, done", "ends", "leaves"}, h)

	sum, err := drain(context.Background(), job.StreamOf(remaining(4)), job.FromResult(job.Void{}))
	assert.NoError(t, err)
	assert.Equal(t, 6, sum)

	for v, err := range forgiving(done) {
		assert.Equal(t, "done", v)
		assert.NoError(t, err)
	}

	h = nil
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		exitsIn(&h, lettersAsync(&h, words("a"), nil), done)
	}()
	<-exited
	assert.Equal(t, history{"begins", "yields a", "exits <nil>", "ends", "loop's function ends"}, h)
}
