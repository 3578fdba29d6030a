package statemachine_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/job/root"
)

// A library that starts jobs. It is plain Go, except for relayed; the types of its parameters say
// that what they get becomes a job.

type task = root.Func[int]

type registry interface {
	enter(fn task) *job.Job[int]
}

type desk struct{ ctx context.Context }

func (d desk) enter(fn task) *job.Job[int] { return job.Run(d.ctx, fn) }

// counted is a wrapper that returns the error unchanged, and does nothing after the call.
func (d desk) counted(n *int, fn root.Action) *job.Job[job.Void] {
	return job.Go(d.ctx, func(ctx context.Context) error {
		*n++
		return fn(ctx)
	})
}

type shelf[V any] struct {
	desk
	value V
}

func (s *shelf[V]) with(fn root.FuncOf[V, int]) *job.Job[int] {
	return job.Then(s.ctx, job.FromResult(s.value), fn)
}

func (d desk) all(fns ...task) []*job.Job[int] {
	var jobs []*job.Job[int]
	for _, fn := range fns {
		jobs = append(jobs, job.Run(d.ctx, fn))
	}
	return jobs
}

// inTurn calls what it is given; only its twin makes a job of that.
func (d desk) inTurn(arg int, fn func(context.Context, int) error) error {
	return fn(d.ctx, arg)
}

func (d desk) inTurnAsync(arg int, fn root.ActionOf[int]) *job.Job[job.Void] {
	return job.Go(d.ctx, func(ctx context.Context) error { return fn(ctx, arg) })
}

//movenext:async
func relayed(ctx context.Context, fn task) (int, error) {
	if fn == nil {
		return 0, errors.New("nothing to relay")
	}
	return job.Run(ctx, fn).Await()
}

// rootWays is how many ways of inLibrary there are.
const rootWays = 10

// inLibrary waits in a job of the library, to which it gives a function in one of these ways.
//
//movenext:async
func inLibrary(ctx context.Context, g *gate, way int) (n int, err error) {
	d := desk{ctx}
	switch way {
	case 0:
		return d.enter(func(ctx context.Context) (int, error) { return g.pass(ctx) }).Await()
	case 1:
		return d.enter(g.pass).Await()
	case 2:
		var r registry = d
		return r.enter(passGate).Await()
	case 3:
		s := &shelf[string]{d, "on the shelf"}
		return s.with(func(ctx context.Context, on string) (int, error) {
			n, err := g.pass(ctx)
			return n + len(on) - len(s.value), err
		}).Await()
	case 4:
		jobs := d.all(zero, func(ctx context.Context) (int, error) { return g.pass(ctx) })
		a, err := jobs[0].Await()
		b, late := jobs[1].Await()
		return a + b, errors.Join(err, late)
	case 5:
		_, err = d.counted(new(int), func(ctx context.Context) (err error) {
			n, err = g.pass(ctx)
			return err
		}).Await()
		return n, err
	case 6:
		err = d.inTurn(1, func(ctx context.Context, arg int) (err error) {
			n, err = g.pass(ctx)
			n += arg - 1
			return err
		})
		return n, err
	case 7:
		return relayed(ctx, func(ctx context.Context) (int, error) { return g.pass(ctx) })
	case 8:
		later := func(ctx context.Context) (int, error) { return g.pass(ctx) }
		return d.enter(later).Await()
	default:
		if _, err := relayed(ctx, nil); err == nil {
			return 0, errors.New("a nil function was relayed")
		}
		return relayed(ctx, passGate)
	}
}

func TestFunctionsGivenToALibraryThatStartsJobsHoldNoGoroutine(t *testing.T) {
	_, ctx := singleWorker(t)
	source := job.NewSource[int]()
	g := &gate{open: source.Job()}
	ctx = context.WithValue(ctx, gateKey{}, g)
	before := runtime.NumGoroutine()
	var jobs []*job.Job[int]
	for i := range 500 {
		jobs = append(jobs, inLibraryAsync(ctx, g, i%rootWays))
	}
	require.Eventually(t, func() bool { return g.waiting.Load() == 500 }, time.Minute, time.Microsecond, "all wait")
	assert.Less(t, runtime.NumGoroutine()-before, 10)
	source.TrySetResult(7)
	for i, j := range jobs {
		n, err := j.Wait(context.Background())
		require.NoError(t, err)
		assert.Equal(t, 7, n, "way %d", i%rootWays)
	}
}

func TestFunctionsGivenToALibraryReturnAsInPlainGo(t *testing.T) {
	onEveryScheduler(t, rootWays, inLibrary, inLibraryAsync)
}
