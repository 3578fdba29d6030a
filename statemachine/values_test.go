package statemachine_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/everyscheduler"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/statemachine"
)

// Functions of a user's own that take functions.

//movenext:async
func again[T any](ctx context.Context, n int, op func(context.Context) (T, error)) (v T, err error) {
	for range n {
		if v, err = op(ctx); err == nil {
			break
		}
	}
	return v, err
}

//movenext:async
func againTwice(ctx context.Context, op func(context.Context) (int, error)) (int, error) {
	return again(ctx, 2, op)
}

type tx struct{ log []string }

//movenext:async
func (t *tx) within(ctx context.Context, body func(context.Context, *tx) error) (err error) {
	defer func() {
		if err != nil {
			t.log = append(t.log, "rollback")
		} else {
			t.log = append(t.log, "commit")
		}
	}()
	return body(ctx, t)
}

type leaf struct {
	children []*leaf
	gate     *gate
}

//movenext:async
func (l *leaf) visit(f func(*leaf)) {
	for _, child := range l.children {
		child.visit(f)
	}
	f(l)
}

//movenext:async
func inAll(ctx context.Context, ops ...func(context.Context) (int, error)) (sum int, err error) {
	for _, op := range ops {
		n, err := op(ctx)
		if err != nil {
			return sum, err
		}
		sum += n
	}
	return sum, nil
}

// gate is what all machines of a test wait for.
type gate struct {
	open    *job.Job[int]
	waiting atomic.Int32
}

//movenext:async
func (g *gate) pass(ctx context.Context) (int, error) {
	g.waiting.Add(1)
	return g.open.Await()
}

type gateKey struct{}

//movenext:async
func passGate(ctx context.Context) (int, error) {
	return ctx.Value(gateKey{}).(*gate).pass(ctx)
}

// insideWays is how many ways of waitInside there are.
const insideWays = 7

// waitInside waits inside one of the functions above, by one of the ways to give it a function.
//
//movenext:async
func waitInside(ctx context.Context, g *gate, way int) (n int, err error) {
	switch way {
	case 0:
		return again(ctx, 3, func(ctx context.Context) (int, error) { return g.pass(ctx) })
	case 1:
		return again(ctx, 3, passGate)
	case 2:
		return again(ctx, 3, g.pass)
	case 3:
		return againTwice(ctx, passGate)
	case 4:
		t := &tx{}
		err = t.within(ctx, func(ctx context.Context, t *tx) error {
			n, err = againTwice(ctx, g.pass)
			return err
		})
		return n + len(t.log) - 1, err
	case 5:
		l := &leaf{children: []*leaf{{gate: g}}}
		l.visit(func(l *leaf) {
			if l.gate != nil {
				n, err = l.gate.pass(ctx)
			}
		})
		return n, err
	default:
		return inAll(ctx, zero, g.pass, func(context.Context) (int, error) { return zero(ctx) })
	}
}

func zero(context.Context) (int, error) { return 0, nil }

func TestMachinesInFunctionsOfUsersHoldNoGoroutine(t *testing.T) {
	_, ctx := singleWorker(t)
	source := job.NewSource[int]()
	g := &gate{open: source.Job()}
	ctx = context.WithValue(ctx, gateKey{}, g)
	before := runtime.NumGoroutine()
	var jobs []*job.Job[int]
	for i := range 500 {
		jobs = append(jobs, waitInsideAsync(ctx, g, i%insideWays))
	}
	require.EqualValues(t, 500, g.waiting.Load(), "all wait")
	assert.Less(t, runtime.NumGoroutine()-before, 10)
	source.TrySetResult(7)
	for i, j := range jobs {
		n, err := j.Wait(context.Background())
		require.NoError(t, err)
		assert.Equal(t, 7, n, "way %d", i%insideWays)
	}
}

func TestAFunctionGivenToAnotherSuspendsOnEveryScheduler(t *testing.T) {
	onEveryScheduler(t, insideWays, waitInside, waitInsideAsync)
}

// onEveryScheduler waits by all ways, as machines and then as plain Go.
func onEveryScheduler(t *testing.T, ways int, plain func(context.Context, *gate, int) (int, error), start func(context.Context, *gate, int) *job.Job[int]) {
	t.Helper()
	for _, kind := range everyscheduler.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			below := goroutine.New()
			s := kind.New(below)
			source := job.NewSource[int]()
			g := &gate{open: source.Job()}
			ctx := context.WithValue(schedulers.With(context.Background(), s), gateKey{}, g)
			var jobs []*job.Job[int]
			for way := range ways {
				jobs = append(jobs, start(ctx, g, way))
			}
			all := job.WhenAll(jobs...)
			source.TrySetResult(7)
			if kind.Drive != nil {
				ctx, cancel := context.WithCancel(context.Background())
				go func() { <-all.Done(); cancel() }()
				kind.Drive(ctx, s)
			}
			_, err := all.Wait(context.Background())
			require.NoError(t, err)
			for way := range ways {
				n, err := plain(schedulers.With(ctx, below), g, way)
				require.NoError(t, err)
				assert.Equal(t, 7, n, "as plain Go")
				n, err = jobs[way].Wait(context.Background())
				require.NoError(t, err)
				assert.Equal(t, 7, n)
			}
			require.NoError(t, s.Shutdown(context.Background()))
			require.NoError(t, below.Shutdown(context.Background()))
		})
	}
}

func TestAFunctionGivenToAnotherIsCalledAsOftenAsInPlainGo(t *testing.T) {
	_, ctx := singleWorker(t)
	calls := 0
	failing := func(context.Context) (int, error) { calls++; return calls, errors.New("busy") }
	_, err := againAsync(ctx, 3, failing).Wait(context.Background())
	require.EqualError(t, err, "busy")
	assert.Equal(t, 3, calls)
}

func TestACompanionOfNothingIsNil(t *testing.T) {
	one, two := 1, 2
	list := []*int{&one, &two}
	assert.Same(t, &two, statemachine.CompanionAt(list, 1))
	assert.Nil(t, statemachine.CompanionAt([]*int(nil), 1))
}
