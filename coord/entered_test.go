package coord_test

import (
	"context"
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

// farewell sends v when it ends, in a deferred call that suspends.
//
//movenext:async
func farewell(ctx context.Context, gate *coord.ManualResetEvent, out *coord.Channel[string], v string) error {
	defer func() { _ = out.Send(ctx, v) }()
	return gate.Wait(ctx)
}

// canEnd are the kinds of waits: with a context that has to be watched, by its Done channel or
// without one, and with one that cannot end.
var canEnd = map[string]func() (context.Context, context.CancelFunc){
	"timeout": func() (context.Context, context.CancelFunc) { return job.WithTimeout(context.Background(), time.Hour) },
	"endless": func() (context.Context, context.CancelFunc) { return context.Background(), func() {} },
	"watched": func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) },
}

// started runs f, which blocks, on a goroutine, and returns its job.
func started[T any](f func() (T, error)) *job.Job[T] {
	s := job.NewSource[T]()
	go func() { s.TrySet(f()) }()
	return s.Job()
}

func TestMachinesAndGoroutinesTalkOverChannels(t *testing.T) {
	const rounds = 1000
	for name, made := range canEnd {
		for _, form := range []string{"machines", "a goroutine asks", "a goroutine answers"} {
			t.Run(name+", "+form, func(t *testing.T) {
				ctx, cancel := made()
				defer cancel()
				there, back := coord.NewRendezvous[int](), coord.NewBounded[int](1, coord.WaitForRoom)
				var far, near *job.Job[int]
				if form == "a goroutine answers" {
					far = started(func() (int, error) { return answer(ctx, there, back) })
				} else {
					far = answerAsync(ctx, there, back)
				}
				if form == "a goroutine asks" {
					near = started(func() (int, error) { return question(ctx, there, back, rounds) })
				} else {
					near = questionAsync(ctx, there, back, rounds)
				}
				v, err := near.Await()
				require.NoError(t, err)
				assert.Equal(t, rounds*(rounds+1)/2, v)
				last, err := far.Await()
				require.ErrorIs(t, err, coord.ErrClosed)
				assert.Equal(t, rounds-1, last)
			})
		}
	}
}

func TestAMachineThatWaitsAgainAllocatesNothing(t *testing.T) {
	if coord.RaceDetector {
		t.Log("the race detector allocates; the costs of a normal build are checked only")
		return
	}
	for name, made := range canEnd {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := made()
			defer cancel()
			talksWithoutMemory(t, ctx)
		})
	}
}

func talksWithoutMemory(t *testing.T, ctx context.Context) {
	t.Helper()
	const rounds = 10_000
	one := pool.New(pool.Workers(1, 1))
	ctx = schedulers.With(ctx, one)
	there, back := coord.NewRendezvous[int](), coord.NewRendezvous[int]()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	far := answerAsync(ctx, there, back)
	_, err := questionAsync(ctx, there, back, rounds).Await()
	require.NoError(t, err)
	_, err = far.Await()
	require.ErrorIs(t, err, coord.ErrClosed)
	runtime.ReadMemStats(&after)
	assert.Less(t, after.Mallocs-before.Mallocs, uint64(rounds/10))
	require.NoError(t, one.Shutdown(ctx))
}

func TestADeferredCallWaitsForRoom(t *testing.T) {
	ctx := context.Background()
	for name, start := range map[string]func(*coord.ManualResetEvent, *coord.Channel[string]) *job.Job[job.Void]{
		"machine": func(gate *coord.ManualResetEvent, out *coord.Channel[string]) *job.Job[job.Void] {
			return farewellAsync(ctx, gate, out, "bye")
		},
		"goroutine": func(gate *coord.ManualResetEvent, out *coord.Channel[string]) *job.Job[job.Void] {
			return started(func() (job.Void, error) { return job.Void{}, farewell(ctx, gate, out, "bye") })
		},
	} {
		t.Run(name, func(t *testing.T) {
			var gate coord.ManualResetEvent
			out := coord.NewRendezvous[string]()
			j := start(&gate, out)
			gate.Set()
			v, err := out.Receive(ctx)
			require.NoError(t, err)
			assert.Equal(t, "bye", v)
			_, err = j.Await()
			require.NoError(t, err)
		})
	}
}

// twice receives and, if that fails, receives with another context.
//
//movenext:async
func twice(first, second context.Context, in *coord.Channel[int]) (int, error) {
	v, err := in.Receive(first)
	if err == nil {
		return v, nil
	}
	return in.Receive(second)
}

func TestAfterACanceledWaitOneWaitsAgain(t *testing.T) {
	for name, start := range map[string]func(context.Context, *coord.Channel[int]) *job.Job[int]{
		"machine": func(ctx context.Context, in *coord.Channel[int]) *job.Job[int] {
			return twiceAsync(ctx, context.Background(), in)
		},
		"goroutine": func(ctx context.Context, in *coord.Channel[int]) *job.Job[int] {
			return started(func() (int, error) { return twice(ctx, context.Background(), in) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			in := coord.NewRendezvous[int]()
			j := start(ctx, in)
			cancel()
			require.NoError(t, in.Send(context.Background(), 7))
			v, err := j.Await()
			require.NoError(t, err)
			assert.Equal(t, 7, v)
		})
	}
}
