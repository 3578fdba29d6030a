package statemachine_test

import (
	"context"
	"iter"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// fall is a recursion through machines with deferred calls, which ends at its bottom, by
// a panic for example. It measures the stack: the panic passes through all machines, and
// must not leave anything there.
type fall struct {
	ends     func()
	suspends bool   // before that
	deferred func() // a function value: what it calls, the generator does not know
	values   bool   // literals defer it instead

	deepest int // stack of a body
	highest int // stack of a deferred call
	calls   int
}

func depth() int {
	var pcs [1 << 14]uintptr
	return runtime.Callers(0, pcs[:])
}

func (f *fall) in() { f.deepest = max(f.deepest, depth()) }

func (f *fall) out() {
	f.highest = max(f.highest, depth())
	f.calls++
}

// bottom is the function that the stack of a panic has to name.
func (f *fall) bottom() { f.ends() }

//movenext:async
func fallThroughLiterals(ctx context.Context, f *fall, n int) error {
	if f.values {
		defer f.deferred()
	} else {
		defer func() { f.out() }()
	}
	f.in()
	if n == 0 {
		if f.suspends {
			job.Yield()
		}
		f.bottom()
	}
	return fallThroughLiterals(ctx, f, n-1)
}

func fallThroughValuesAsync(ctx context.Context, f *fall, n int) *job.Job[job.Void] {
	f.values = true
	return fallThroughLiteralsAsync(ctx, f, n)
}

//movenext:async
func fallThroughEpilogues(ctx context.Context, f *fall, n int) error {
	defer func() {
		if n < 0 {
			job.Yield()
		}
		f.out()
	}()
	f.in()
	if n == 0 {
		if f.suspends {
			job.Yield()
		}
		f.bottom()
	}
	return fallThroughEpilogues(ctx, f, n-1)
}

//movenext:async
func oneRound(ctx context.Context, f *fall) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		defer f.out()
		if !yield(1, ctx.Err()) {
			return
		}
	}
}

//movenext:async
func fallThroughLoops(ctx context.Context, f *fall, n int) error {
	for range oneRound(ctx, f) { //nolint:errcheck // it never yields one
		f.in()
		if n == 0 {
			if f.suspends {
				job.Yield()
			}
			f.bottom()
		}
		if err := fallThroughLoops(ctx, f, n-1); err != nil {
			return err
		}
	}
	return nil
}

//movenext:async
func fallingStream(ctx context.Context, f *fall, n int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		defer f.deferred()
		f.in()
		if n == 0 {
			if !yield(1, nil) {
				return
			}
			f.bottom()
		}
		for v, err := range fallingStream(ctx, f, n-1) {
			if !yield(v, err) {
				return
			}
		}
	}
}

//movenext:async
func fallThroughStreams(ctx context.Context, f *fall, n int) error {
	defer func() { f.out() }()
	for range fallingStream(ctx, f, n-1) { //nolint:errcheck // it never yields one
		if f.suspends {
			job.Yield()
		}
	}
	return nil
}

var falls = map[string]func(context.Context, *fall, int) *job.Job[job.Void]{
	"literals":  fallThroughLiteralsAsync,
	"values":    fallThroughValuesAsync,
	"epilogues": fallThroughEpiloguesAsync,
	"loops":     fallThroughLoopsAsync,
	"streams":   fallThroughStreamsAsync,
}

// run falls through n machines, on a goroutine that may be ended.
func (f *fall) run(through func(context.Context, *fall, int) *job.Job[job.Void], n int) (err error) {
	f.deferred = f.out
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, err = through(context.Background(), f, n).Wait(context.Background())
	}()
	<-over
	return err
}

// The stack determines what a panic costs: the runtime walks over everything there for
// each machine, so a stack that grows by some frames a machine makes the whole quadratic.
func TestPanicsAndGoexitThroughMachinesLeaveNothingOnTheStack(t *testing.T) {
	const machines, some = 200, 80
	for name, through := range falls {
		for _, suspends := range []bool{false, true} {
			for kind, ends := range map[string]func(){"panics": func() { panic("bottom") }, "exits": runtime.Goexit} {
				f := fall{ends: ends, suspends: suspends}
				err := f.run(through, machines)
				assert.Equal(t, machines+1, f.calls, "%s, %s, suspends %v: deferred calls", name, kind, suspends)
				assert.Less(t, f.highest, f.deepest+some, "%s, %s, suspends %v: stack", name, kind, suspends)
				if kind == "panics" {
					var p *job.PanicError
					require.ErrorAs(t, err, &p)
					assert.Equal(t, "bottom", p.Value)
				}
			}
		}
	}
}

func TestAPanicKeepsItsFirstStackWhateverItsValue(t *testing.T) {
	for _, value := range []any{
		"text", []int{1}, map[string]int{}, func() {}, math.NaN(), complex(math.NaN(), 0),
		struct{ list []int }{[]int{1}}, [1]any{[]int{1}}, &fall{}, context.Canceled,
	} {
		for name, through := range falls {
			f := fall{ends: func() { panic(value) }, suspends: true}
			err := f.run(through, 3)
			var p *job.PanicError
			require.ErrorAs(t, err, &p, "%s, %T", name, value)
			assert.Contains(t, string(p.Stack), "(*fall).bottom", "%s, %T", name, value)
		}
	}
}

// exitsWhileItPanics has a deferred call that ends the goroutine, and another one that
// would see the panic.
//
//movenext:async
func exitsWhileItPanics(ctx context.Context, saw *any) error {
	defer func() { *saw = recover() }()
	defer func() { runtime.Goexit() }()
	job.Yield()
	panic("ended by the exit")
}

func TestAnExitEndsThePanicInFlight(t *testing.T) {
	var plain, machine any
	_, err := job.Go(context.Background(), func(ctx context.Context) error {
		return exitsWhileItPanics(ctx, &plain)
	}).Wait(context.Background())
	require.ErrorIs(t, err, job.ErrGoexit)
	_, err = exitsWhileItPanicsAsync(context.Background(), &machine).Wait(context.Background())
	require.ErrorIs(t, err, job.ErrGoexit)
	assert.Equal(t, plain, machine)
}

//movenext:async
func panicsOnce(ctx context.Context) {
	job.Yield()
	job.Yield()
	panic("again")
}

//movenext:async
func recoversOnce(ctx context.Context) {
	defer func() { _ = recover() }()
	panicsOnce(ctx)
}

// panicsTwice panics with a value that has been recovered before. Only the first yield is queued:
// it finds that nothing else is.
//
//movenext:async
func panicsTwice(ctx context.Context) error {
	job.Yield()
	recoversOnce(ctx)
	job.Yield()
	panicsAgain()
	return nil
}

func panicsAgain() { panic("again") }

func TestAPanicAfterAYieldHasItsOwnStack(t *testing.T) {
	p := pool.New(pool.Workers(1, 1), pool.AddAfter(0))
	_, err := panicsTwiceAsync(schedulers.With(t.Context(), p)).Wait(t.Context())
	var panicked *job.PanicError
	require.ErrorAs(t, err, &panicked)
	assert.Contains(t, string(panicked.Stack), "panicsAgain")
	require.NoError(t, p.Shutdown(context.Background()))
}
