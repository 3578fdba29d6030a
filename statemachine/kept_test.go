package statemachine_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// Function values that are kept: handlers, each wrapped twice.

//movenext:async
type passing func(ctx context.Context) (int, error)

//movenext:async
func counting(next passing) passing {
	return func(ctx context.Context) (int, error) {
		n, err := next(ctx)
		return n + 1, err
	}
}

//movenext:async
func discounting(next passing) passing {
	return func(ctx context.Context) (int, error) {
		n, err := next(ctx)
		return n - 1, err
	}
}

type keeper struct {
	field  passing
	routes map[string]passing
	list   []passing
	queue  chan passing
}

// keepHandlers keeps a handler in each way.
//
//movenext:async
func keepHandlers(g *gate) *keeper {
	k := &keeper{queue: make(chan passing, 1)}
	k.field = counting(discounting(passGate))
	k.routes = map[string]passing{"gate": counting(discounting(g.pass))}
	k.list = append(k.list, counting(discounting(func(ctx context.Context) (int, error) { return g.pass(ctx) })))
	k.queue <- k.field
	return k
}

// keptWays is how many ways of waitKept there are.
const keptWays = 5

//movenext:async
func (k *keeper) waitKept(ctx context.Context, way int) (int, error) {
	switch way {
	case 0:
		return k.field(ctx)
	case 1:
		return k.routes["gate"](ctx)
	case 2:
		return k.list[0](ctx)
	case 3:
		h := <-k.queue
		k.queue <- h
		return h(ctx)
	default:
		return again(ctx, 1, func(ctx context.Context) (int, error) { return counting(discounting(k.field))(ctx) })
	}
}

//movenext:async
func keepAndWait(ctx context.Context, g *gate, way int) (int, error) {
	return keepHandlers(g).waitKept(ctx, way)
}

func TestMachinesInKeptFunctionsHoldNoGoroutine(t *testing.T) {
	_, ctx := singleWorker(t)
	source := job.NewSource[int]()
	g := &gate{open: source.Job()}
	ctx = context.WithValue(ctx, gateKey{}, g)
	k, err := keepHandlersAsync(g).Wait(context.Background())
	require.NoError(t, err)
	before := runtime.NumGoroutine()
	var jobs []*job.Job[int]
	for i := range 500 {
		jobs = append(jobs, k.waitKeptAsync(ctx, i%keptWays))
	}
	require.EqualValues(t, 500, g.waiting.Load(), "all wait")
	assert.Less(t, runtime.NumGoroutine()-before, 10)
	source.TrySetResult(7)
	for i, j := range jobs {
		n, err := j.Wait(context.Background())
		require.NoError(t, err)
		assert.Equal(t, 7, n, "way %d", i%keptWays)
	}
	n, err := k.routes["gate"](ctx)
	require.NoError(t, err)
	assert.Equal(t, 7, n, "plain code calls the plain function")
}

func TestAKeptFunctionSuspendsOnEveryScheduler(t *testing.T) {
	onEveryScheduler(t, keptWays, keepAndWait, keepAndWaitAsync)
}

// Only values that answer are asked: any other function would run.
func TestOnlyKeptFunctionsAreAsked(t *testing.T) {
	type entry = func() int
	enter := func() int { return 7 }
	kept := statemachine.Kept(func(ctx context.Context) {
		assert.True(t, statemachine.Answers(ctx, enter))
	})
	var calls []context.Context
	plain := func(ctx context.Context) { calls = append(calls, ctx) }
	found := statemachine.EntryOf[entry](kept, kept)
	require.NotNil(t, found)
	assert.Equal(t, 7, found())
	assert.Nil(t, statemachine.EntryOf[entry](plain, plain))
	assert.Nil(t, statemachine.EntryOf[entry]((func(context.Context))(nil), plain), "of no function")
	assert.Nil(t, statemachine.EntryOf[func() string](kept, kept), "an entry of another type")
	assert.Empty(t, calls)
	assert.False(t, statemachine.Answers(context.Background(), enter))
	assert.Zero(t, testing.AllocsPerRun(100, func() { statemachine.EntryOf[entry](kept, kept) }))
}

//movenext:async
func callDirectly(ctx context.Context, n int, g *gate) {
	for range n {
		_, _ = g.pass(ctx)
	}
}

//movenext:async
func callGiven(ctx context.Context, n int, op func(context.Context) (int, error)) {
	for range n {
		_, _ = op(ctx)
	}
}

//movenext:async
func callKept(ctx context.Context, n int, op passing) {
	for range n {
		_, _ = op(ctx)
	}
}

//movenext:async
func callBy(ctx context.Context, way string, n int, g *gate) {
	switch way {
	case "directly":
		callDirectly(ctx, n, g)
	case "given":
		callGiven(ctx, n, g.pass)
	case "kept":
		callKept(ctx, n, g.pass)
	case "plain, given":
		callGiven(ctx, n, zero)
	case "plain, kept":
		callKept(ctx, n, zero)
	}
}

// BenchmarkCallOfAValue compares the ways to call a function that could suspend, and does not.
func BenchmarkCallOfAValue(b *testing.B) {
	g := &gate{open: job.FromResult(7)}
	for _, way := range []string{"directly", "given", "kept", "plain, given", "plain, kept"} {
		b.Run(way, func(b *testing.B) {
			b.ReportAllocs()
			_, _ = callByAsync(context.Background(), way, b.N, g).Wait(context.Background())
		})
	}
}
