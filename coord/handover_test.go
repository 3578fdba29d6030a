package coord_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// The machines below send to a machine that waits. Where they soon wait again, their worker keeps
// that machine for itself. Then they do something else, in plain code: they wait until the other
// machine has run. They hang if it is still kept.

// taker closes told when it has received.
//
//movenext:async
func taker(ctx context.Context, in *coord.Channel[int], told chan struct{}) error {
	_, err := in.Receive(ctx)
	close(told)
	return err
}

// sendsOrEnds sends, and waits for the answer unless that is not wanted.
//
//movenext:async
func sendsOrEnds(ctx context.Context, out, in *coord.Channel[int], yields, answer bool) (int, error) {
	if yields {
		job.Yield()
	}
	if err := out.Send(ctx, 1); err != nil || !answer {
		return 0, err
	}
	return in.Receive(ctx)
}

// afterAReturn waits when the sending function has returned, which has suspended before or not.
//
//movenext:async
func afterAReturn(ctx context.Context, out, in *coord.Channel[int], told chan struct{}, suspended bool) error {
	if !suspended {
		job.Yield()
	}
	_, err := sendsOrEnds(ctx, out, in, suspended, false)
	<-told
	return err
}

// afterAReceive receives something that is there, or under a context that has ended, and then
// waits.
//
//movenext:async
func afterAReceive(ctx, under context.Context, out, in *coord.Channel[int], told chan struct{}) error {
	job.Yield()
	if err := out.Send(ctx, 1); err != nil {
		return err
	}
	_, err := in.Receive(under)
	<-told
	return err
}

// afterASend sends to a channel that has room, or under a context that has ended, and then waits.
//
//movenext:async
func afterASend(ctx, under context.Context, out, in *coord.Channel[int], told chan struct{}) error {
	job.Yield()
	if err := out.Send(ctx, 1); err != nil {
		return err
	}
	err := in.Send(under, 2)
	<-told
	return err
}

// afterAPanic waits in a deferred call.
//
//movenext:async
func afterAPanic(ctx context.Context, out, in *coord.Channel[int], told chan struct{}, list []int) (err error) {
	defer func() {
		<-told
		if recover() != nil {
			err = errPanic
		}
	}()
	job.Yield()
	if err := out.Send(ctx, 1); err != nil {
		return err
	}
	list[1]++
	_, err = in.Receive(ctx)
	return err
}

// afterAPanicOfACallee waits in a deferred call of the caller.
//
//movenext:async
func afterAPanicOfACallee(ctx context.Context, out, in *coord.Channel[int], told chan struct{}, list []int) (err error) {
	defer func() {
		<-told
		if recover() != nil {
			err = errPanic
		}
	}()
	return sendsAndPanics(ctx, out, in, list)
}

//movenext:async
func sendsAndPanics(ctx context.Context, out, in *coord.Channel[int], list []int) error {
	job.Yield()
	if err := out.Send(ctx, 1); err != nil {
		return err
	}
	list[1]++
	_, err := in.Receive(ctx)
	return err
}

// inAnEpilogue waits in a deferred call that suspends.
//
//movenext:async
func inAnEpilogue(ctx context.Context, out, in *coord.Channel[int], told chan struct{}, list []int) (err error) {
	defer func() {
		<-told
		if recover() != nil {
			err = errPanic
		}
		job.Yield()
	}()
	job.Yield()
	_ = out.Send(ctx, 1)
	list[1]++
	_, err = in.Receive(ctx)
	return err
}

// ones yields once, and waits in a deferred call.
func ones(told chan struct{}) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer func() { <-told }()
		yield(1)
	}
}

// inAnIterator panics in the body of a loop.
//
//movenext:async
func inAnIterator(ctx context.Context, out, in *coord.Channel[int], told chan struct{}, list []int) (err error) {
	job.Yield()
	for v := range ones(told) {
		_ = out.Send(ctx, v)
		list[1]++
		if _, err = in.Receive(ctx); err != nil {
			return err
		}
	}
	return nil
}

// answersAt answers with the place where it runs.
//
//movenext:async
func answersAt(ctx context.Context, in, out *coord.Channel[int], at *schedulers.Scheduler) error {
	if _, err := in.Receive(ctx); err != nil {
		return err
	}
	*at = schedulers.Here().Scheduler()
	return out.Send(ctx, 2)
}

var errPanic = errors.New("it has panicked")

// afterCode waits in plain code right after the send.
//
//movenext:async
func afterCode(ctx context.Context, out, in *coord.Channel[int], code func()) error {
	job.Yield()
	if err := out.Send(ctx, 1); err != nil {
		return err
	}
	code()
	_, err := in.Receive(ctx)
	return err
}

// poll looks whether told is closed until it is.
func poll(told chan struct{}) {
	for {
		select {
		case <-told:
			return
		default:
			runtime.Gosched()
		}
	}
}

// keeping is a way to wait, in plain code, while the worker may keep a machine.
type keeping struct {
	start  func(ctx context.Context, out, in *coord.Channel[int], told chan struct{}) *job.Job[job.Void]
	err    error
	panics bool
	held   int // elements in the other channel at first
}

func waysToWait() map[string]keeping {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	return map[string]keeping{
		"after a return": {start: func(ctx context.Context, out, in *coord.Channel[int], told chan struct{}) *job.Job[job.Void] {
			return afterAReturnAsync(ctx, out, in, told, false)
		}},
		"after a return of a machine": {start: func(ctx context.Context, out, in *coord.Channel[int], told chan struct{}) *job.Job[job.Void] {
			return afterAReturnAsync(ctx, out, in, told, true)
		}},
		"after an element": {held: 1, start: func(ctx context.Context, out, in *coord.Channel[int], told chan struct{}) *job.Job[job.Void] {
			return afterAReceiveAsync(ctx, ctx, out, in, told)
		}},
		"after a send": {start: func(ctx context.Context, out, in *coord.Channel[int], told chan struct{}) *job.Job[job.Void] {
			return afterASendAsync(ctx, ctx, out, in, told)
		}},
		"at once": {held: 1, start: func(ctx context.Context, out, in *coord.Channel[int], told chan struct{}) *job.Job[job.Void] {
			return afterCodeAsync(ctx, out, in, func() { <-told })
		}},
		"while it polls": {held: 1, start: func(ctx context.Context, out, in *coord.Channel[int], told chan struct{}) *job.Job[job.Void] {
			return afterCodeAsync(ctx, out, in, func() { poll(told) })
		}},
		"after the end of a context": {err: context.Canceled, start: func(ctx context.Context, out, in *coord.Channel[int], told chan struct{}) *job.Job[job.Void] {
			return afterAReceiveAsync(ctx, ended, out, in, told)
		}},
		"after the end of a context of a send": {err: context.Canceled, start: func(ctx context.Context, out, in *coord.Channel[int], told chan struct{}) *job.Job[job.Void] {
			return afterASendAsync(ctx, ended, out, in, told)
		}},
		"after a send to a closed channel": {err: coord.ErrClosed, start: func(ctx context.Context, out, _ *coord.Channel[int], told chan struct{}) *job.Job[job.Void] {
			closed := coord.NewRendezvous[int]()
			closed.Close()
			return afterASendAsync(ctx, ctx, out, closed, told)
		}},
		"in a function that ranks": {start: func(ctx context.Context, out, _ *coord.Channel[int], told chan struct{}) *job.Job[job.Void] {
			return afterASendAsync(ctx, ctx, out, coord.NewPriority(func(int) int64 { <-told; return 0 }), told)
		}},
		"in a function for what is dropped": {start: func(ctx context.Context, out, _ *coord.Channel[int], told chan struct{}) *job.Job[job.Void] {
			return afterASendAsync(ctx, ctx, out, coord.NewBounded(0, coord.DropNewest, coord.Dropped(func(int) { <-told })), told)
		}},
		"in an epilogue": {err: errPanic, start: func(ctx context.Context, out, in *coord.Channel[int], told chan struct{}) *job.Job[job.Void] {
			return inAnEpilogueAsync(ctx, out, in, told, make([]int, 1))
		}},
		"in an iterator": {panics: true, start: func(ctx context.Context, out, in *coord.Channel[int], told chan struct{}) *job.Job[job.Void] {
			return inAnIteratorAsync(ctx, out, in, told, make([]int, 1))
		}},
		"after a panic": {err: errPanic, start: func(ctx context.Context, out, in *coord.Channel[int], told chan struct{}) *job.Job[job.Void] {
			return afterAPanicAsync(ctx, out, in, told, make([]int, 1))
		}},
		"after a panic of a callee": {err: errPanic, start: func(ctx context.Context, out, in *coord.Channel[int], told chan struct{}) *job.Job[job.Void] {
			return afterAPanicOfACalleeAsync(ctx, out, in, told, make([]int, 1))
		}},
	}
}

func TestNoMachineWaitsForOneThatItsWorkerKeeps(t *testing.T) {
	for name, c := range waysToWait() {
		t.Run(name, func(t *testing.T) {
			p := pool.New(pool.Workers(1, 4))
			defer func() { assert.NoError(t, p.Shutdown(context.Background())) }()
			ctx := schedulers.With(context.Background(), p)
			out, in, told := coord.NewRendezvous[int](), coord.NewUnbounded[int](), make(chan struct{})
			for range c.held {
				require.NoError(t, in.TrySend(0))
			}
			taking := takerAsync(ctx, out, told)
			sending := c.start(ctx, out, in, told)
			limit, stop := context.WithTimeout(context.Background(), time.Minute)
			defer stop()
			_, err := sending.Wait(limit)
			if c.panics {
				var p *job.PanicError
				require.ErrorAs(t, err, &p)
			} else {
				require.ErrorIs(t, err, c.err)
			}
			_, err = taking.Wait(limit)
			require.NoError(t, err)
		})
	}
}

func TestAMachineOfAnotherHomeRunsThere(t *testing.T) {
	here, there := pool.New(pool.Workers(1, 1)), pool.New(pool.Workers(1, 1))
	out, in := coord.NewRendezvous[int](), coord.NewRendezvous[int]()
	var at schedulers.Scheduler
	answering := answersAtAsync(schedulers.With(context.Background(), there), out, in, &at)
	_, err := sendsOrEndsAsync(schedulers.With(context.Background(), here), out, in, true, true).Wait(context.Background())
	require.NoError(t, err)
	_, err = answering.Wait(context.Background())
	require.NoError(t, err)
	assert.Same(t, there, at)
	require.NoError(t, here.Shutdown(context.Background()))
	require.NoError(t, there.Shutdown(context.Background()))
}

// A worker that runs two machines in turn serves others, too, and counts both.
func TestMachinesThatPassAnElementToAndFroLeaveTurnsToOthers(t *testing.T) {
	p := pool.New(pool.Workers(1, 1))
	ctx := schedulers.With(context.Background(), p)
	there, back := coord.NewRendezvous[int](), coord.NewRendezvous[int]()
	playing, stop := context.WithCancel(ctx)
	a := answerAsync(playing, there, back)
	q := questionAsync(playing, there, back, math.MaxInt)
	for range 100 {
		_, err := job.Run(ctx, func(context.Context) (int, error) { return 1, nil }).Wait(context.Background())
		require.NoError(t, err)
	}
	stop()
	_, _ = a.Wait(context.Background())
	_, _ = q.Wait(context.Background())
	require.NoError(t, p.Shutdown(context.Background()))
	m := p.Metrics()
	assert.Equal(t, m.Submitted, m.Completed)
	assert.Greater(t, m.Submitted, uint64(100))
}
