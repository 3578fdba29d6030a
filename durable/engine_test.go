package durable_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/durabletest"
	"github.com/movenext/movenext/durable/gen"
	"github.com/movenext/movenext/durable/internal/shop"
	"github.com/movenext/movenext/durable/stores"
)

// quiet keeps the engines' log messages out of the tests' output.
func quiet() durable.Option { return durable.Log(slog.New(slog.DiscardHandler)) }

// opened returns an engine that is shut down at the end of the test.
func opened(t *testing.T, store stores.Store, opts ...durable.Option) *durable.Engine {
	t.Helper()
	e, err := durable.Open(t.Context(), store, append([]durable.Option{quiet()}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Shutdown(context.Background())) })
	return e
}

// in runs a test in a bubble, where waiting takes no time.
func in(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

var request = shop.Request{Items: []string{"cup", "pot"}, Card: "4711"}

func TestStartIsIdempotentById(t *testing.T) {
	in(t, func(t *testing.T) {
		s := shop.New()
		e := opened(t, durable.NewMemory())
		orders := durable.Serve(e, shop.OrderDurable, s)
		for range 3 {
			_, err := orders.Start(t.Context(), "a", request)
			require.NoError(t, err)
		}
		_, err := orders.Start(t.Context(), "a", shop.Request{Card: "other"})
		require.ErrorIs(t, err, durable.ErrOther)
		synctest.Wait()
		require.NoError(t, e.Signal(t.Context(), "a", "approval", shop.Approval{Yes: true}))
		receipt, err := orders.Handle("a").Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, shop.Receipt{Charge: "4711", Price: 20}, receipt)
		h, err := orders.Start(t.Context(), "a", request)
		require.NoError(t, err, "also after its end")
		_, err = h.Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, s.Count("charge"))
	})
}

func TestASuspendedOrderShowsWhereItIs(t *testing.T) {
	in(t, func(t *testing.T) {
		e := opened(t, durable.NewMemory())
		_, err := durable.Serve(e, shop.OrderDurable, shop.New()).Start(t.Context(), "a", request, durable.Labels(map[string]string{"tenant": "x"}))
		require.NoError(t, err)
		synctest.Wait()
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, "shop.Order", i.Function)
		assert.Equal(t, durable.Waiting, i.Status)
		assert.Equal(t, shop.OrderDurable.Points[2].At, i.At)
		assert.Equal(t, "approval", i.Signal)
		assert.Equal(t, time.Now().Add(72*time.Hour).UTC(), i.Until)
		assert.JSONEq(t, `{"Items":["cup","pot"],"Card":"4711"}`, string(i.Locals["o"]))
		assert.Equal(t, []string{"shop.unreserve"}, i.Deferred)
		list, err := e.List(t.Context(), durable.Filter{Labels: map[string]string{"tenant": "x"}})
		require.NoError(t, err)
		assert.Len(t, list, 1)
	})
}

func TestAnUnansweredOrderTimesOutAndIsUndone(t *testing.T) {
	if testing.Short() {
		t.Skip("three days of ticks take seconds under the race detector")
	}
	in(t, func(t *testing.T) {
		s := shop.New()
		h, err := durable.Serve(opened(t, durable.NewMemory()), shop.OrderDurable, s).Start(t.Context(), "a", request)
		require.NoError(t, err)
		begin := time.Now()
		_, err = h.Wait(t.Context())
		require.ErrorIs(t, err, durable.ErrTimeout)
		assert.GreaterOrEqual(t, time.Since(begin), 72*time.Hour)
		_, reserved := s.Sum()
		assert.Zero(t, reserved)
	})
}

func TestACanceledOrderIsUndone(t *testing.T) {
	in(t, func(t *testing.T) {
		s := shop.New()
		e := opened(t, durable.NewMemory())
		h, err := durable.Serve(e, shop.OrderDurable, s).Start(t.Context(), "a", request)
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, h.Cancel(t.Context()))
		_, err = h.Wait(t.Context())
		require.ErrorIs(t, err, durable.ErrCanceled)
		assert.Equal(t, 1, s.Count("unreserve"))
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, durable.Canceled, i.Status)
		require.ErrorIs(t, h.Cancel(t.Context()), durable.ErrEnded)
		require.ErrorIs(t, e.Signal(t.Context(), "none", "approval", nil), durable.ErrNotFound)
	})
}

// The cancellation arrives while the reservation runs: the step's context ends, and the order
// does not continue to its wait.
func TestACancellationEndsTheContextOfTheStep(t *testing.T) {
	in(t, func(t *testing.T) {
		f := scripted{step: func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() }}
		e := opened(t, durable.NewMemory())
		h, err := durable.Serve(e, f.function(), struct{}{}).Start(t.Context(), "a", 0)
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, h.Cancel(t.Context()))
		_, err = h.Wait(t.Context())
		require.ErrorIs(t, err, context.Canceled)
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, durable.Canceled, i.Status)
	})
}

func TestATerminatedOrderIsNotUndone(t *testing.T) {
	in(t, func(t *testing.T) {
		s := shop.New()
		e := opened(t, durable.NewMemory())
		h, err := durable.Serve(e, shop.OrderDurable, s).Start(t.Context(), "a", request)
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, e.Terminate(t.Context(), "a"))
		_, err = h.Wait(t.Context())
		require.ErrorIs(t, err, durable.ErrTerminated)
		assert.Zero(t, s.Count("unreserve"))
		require.ErrorIs(t, e.Terminate(t.Context(), "a"), durable.ErrEnded)
	})
}

// scripted is a durable function with one step, whose parts the test supplies.
type scripted struct {
	step    func(ctx context.Context) (int, error)
	before  func()      // the step
	between func(n int) // after the step
	layout  string
	live    any // a pointer to another variable that is live at the step
	policy  *durable.Retry
}

func (s scripted) function() durable.Function[struct{}, int, int] {
	return durable.Function[struct{}, int, int]{
		Name: "scripted", Layout: s.layout,
		Points: []gen.Point{{Name: "begin"}, {Name: "step", Step: "step"}},
		New:    func(_ struct{}, n int) gen.Frame { return &scriptedFrame{s: s, n: n} },
	}
}

type scriptedFrame struct {
	gen.NoDeferred
	s   scripted
	n   int
	err error
}

func (f *scriptedFrame) MoveNext(_ context.Context, t gen.Turn) bool {
	if t.Point() == 0 {
		if f.s.before != nil {
			f.s.before()
		}
		if f.s.policy != nil {
			return gen.StepRetry(t, 1, *f.s.policy)
		}
		return t.Step(1)
	}
	f.err = t.Err()
	if f.s.between != nil {
		f.s.between(f.n)
	}
	return t.Return()
}

func (f *scriptedFrame) Call(ctx context.Context, _ int) (err error) {
	f.n, err = f.s.step(ctx)
	return err
}

func (f *scriptedFrame) Live(point int) []gen.Value {
	list := []gen.Value{{Name: "n", Ptr: &f.n}, {Name: "err", Ptr: &f.err}}
	if point == 1 && f.s.live != nil {
		list = append(list, gen.Value{Name: "live", Ptr: f.s.live})
	}
	return list
}

func (f *scriptedFrame) Outcome() (result any, err *error) { return &f.n, &f.err }

// outcome runs a scripted function and returns its outcome.
func outcome(t *testing.T, s scripted, opts ...durable.Option) (int, error) {
	t.Helper()
	h, err := durable.Serve(opened(t, durable.NewMemory(), opts...), s.function(), struct{}{}).Start(t.Context(), "a", 1)
	require.NoError(t, err)
	return h.Wait(t.Context())
}

func TestAStepIsTriedAgainAsItsRetrySays(t *testing.T) {
	in(t, func(t *testing.T) {
		var keys []string
		var attempts []int
		begin := time.Now()
		n, err := outcome(t, scripted{step: func(ctx context.Context) (int, error) {
			keys, attempts = append(keys, durable.Key(ctx)), append(attempts, durable.Attempt(ctx))
			if len(keys) < 4 {
				return 0, io.ErrUnexpectedEOF
			}
			return 7, nil
		}}, durable.RetryStep("step", durable.Retry{Attempts: 5, First: time.Minute, Most: 3 * time.Minute}))
		require.NoError(t, err)
		assert.Equal(t, 7, n)
		assert.Equal(t, []int{1, 2, 3, 4}, attempts)
		assert.Equal(t, (1+2+3)*time.Minute, time.Since(begin).Truncate(time.Minute))
		for _, key := range keys {
			assert.Equal(t, keys[0], key)
		}
	})
}

func TestARetryThatCannotBeMeantIsRefused(t *testing.T) {
	for _, r := range []durable.Retry{
		{Factor: 0.5}, {Factor: -1}, {Factor: math.NaN()}, {Factor: math.Inf(1)}, {Factor: math.Inf(-1)}, {Attempts: -1},
		{First: -1}, {Most: -1}, {Timeout: -1}, {Heartbeat: -1},
	} {
		_, err := durable.Open(t.Context(), durable.NewMemory(), durable.RetryStep("shop.charge", r))
		require.ErrorContains(t, err, `RetryStep of "shop.charge"`, "%+v", r)
	}
	opened(t, durable.NewMemory(), durable.RetryStep("", durable.Retry{Factor: 1, Attempts: 1, First: 1}))
}

func TestLabelsThatNotEveryStoreKeepsAreRefused(t *testing.T) {
	orders := durable.Serve(opened(t, durable.NewMemory()), shop.OrderDurable, shop.New())
	for _, labels := range []map[string]string{{"a": "\xff"}, {"\xff": "a"}, {"a": "\x00"}, {"a\x00": ""}} {
		_, err := orders.Start(t.Context(), "a", request, durable.Labels(labels))
		require.ErrorIs(t, err, durable.ErrUnstorable)
		_, err = orders.Handle("a").Wait(t.Context())
		require.ErrorIs(t, err, durable.ErrNotFound)
	}
}

// A cancellation of a stuck instance is kept until the instance is resumed.
func TestACancellationOfAStuckInstanceActsWhenItIsResumed(t *testing.T) {
	for _, point := range []string{"approval", "charge"} {
		in(t, func(t *testing.T) {
			store := durable.NewMemory()
			s := shop.New()
			e := opened(t, store)
			h, err := durable.Serve(e, shop.OrderDurable, s).Start(t.Context(), "a", request)
			require.NoError(t, err)
			synctest.Wait()
			if point == "charge" {
				gate := make(chan struct{})
				s.Before = func(step string) {
					if step == "charge" {
						<-gate
					}
				}
				require.NoError(t, h.Signal(t.Context(), "approval", shop.Approval{Yes: true}))
				synctest.Wait()
				defer close(gate)
			}
			r, err := store.Load(t.Context(), "a")
			require.NoError(t, err)
			r.Status, r.Reason, r.Owner, r.Due = durable.Stuck, "broken", "", time.Time{}
			_, err = store.Swap(t.Context(), r)
			require.NoError(t, err)
			if point == "charge" { // the worker that was in the step is gone
				ended, end := context.WithCancel(t.Context())
				end()
				require.ErrorIs(t, e.Shutdown(ended), context.Canceled)
				e = opened(t, store)
				h = durable.Serve(e, shop.OrderDurable, shop.New()).Handle("a")
			}
			require.NoError(t, h.Cancel(t.Context()))
			time.Sleep(time.Hour)
			i, err := e.Get(t.Context(), "a")
			require.NoError(t, err)
			require.Equal(t, durable.Stuck, i.Status)
			require.NoError(t, e.Resume(t.Context(), "a"))
			_, err = h.Wait(t.Context())
			require.ErrorIs(t, err, durable.ErrCanceled)
			if point == "approval" {
				assert.Equal(t, 1, s.Count("unreserve"))
			}
			assert.Zero(t, s.Count("charge"))
		})
	}
}

func TestAStepIsNotTriedAgain(t *testing.T) {
	often := durable.RetryStep("", durable.Retry{Attempts: 9, Never: []error{io.EOF}})
	for _, c := range []struct {
		name string
		fail error
		opts []durable.Option
	}{
		{"by default", io.ErrNoProgress, nil},
		{"after a permanent error", durable.Permanent(io.ErrNoProgress), []durable.Option{often}},
		{"after one that its Retry names", io.EOF, []durable.Option{often}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				n := 0
				_, err := outcome(t, scripted{step: func(context.Context) (int, error) { n++; return 5, c.fail }}, c.opts...)
				require.EqualError(t, err, c.fail.Error())
				assert.Equal(t, 1, n)
			})
		})
	}
}

func TestAStepThatPanicsHasFailed(t *testing.T) {
	in(t, func(t *testing.T) {
		_, err := outcome(t, scripted{step: func(context.Context) (int, error) { panic("lost") }})
		var p *durable.PanicError
		require.ErrorAs(t, err, &p)
		assert.Equal(t, "lost", p.Value)
		_, err = outcome(t, scripted{step: func(context.Context) (int, error) { runtime.Goexit(); return 0, nil }})
		require.ErrorAs(t, err, &p)
		assert.Empty(t, p.Value)
	})
}

func TestAStepHasItsTimeout(t *testing.T) {
	in(t, func(t *testing.T) {
		_, err := outcome(t, scripted{step: func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() }},
			durable.RetryStep("step", durable.Retry{Timeout: time.Second}))
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// stuck starts an instance, and returns the reason why it cannot continue.
func stuck(t *testing.T, store stores.Store, s scripted) string {
	t.Helper()
	e := opened(t, store)
	_, err := durable.Serve(e, s.function(), struct{}{}).Start(t.Context(), "a", 1)
	require.NoError(t, err)
	synctest.Wait()
	i, err := e.Get(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, durable.Stuck, i.Status)
	return i.Reason
}

func TestWhatCannotContinueIsStuckWithAReason(t *testing.T) {
	step := func(context.Context) (int, error) { return 3, nil }
	in(t, func(t *testing.T) {
		calls := 0
		panics := scripted{step: func(context.Context) (int, error) { calls++; return 3, nil }, between: func(int) { panic("between") }}
		assert.Contains(t, stuck(t, durable.NewMemory(), panics), "panic: between")
		assert.Equal(t, 1, calls)
	})
	in(t, func(t *testing.T) {
		list := []int{1, 2, 3}
		overlap := [][]int{list, list[1:]}
		assert.Contains(t, stuck(t, durable.NewMemory(), scripted{step: step, live: &overlap}), "live[1] cannot be saved: it overlaps with live[0]")
	})
	in(t, func(t *testing.T) {
		long := make([]byte, durable.MaxCheckpoint)
		assert.Contains(t, stuck(t, durable.NewMemory(), scripted{step: step, live: &long}), "more than 1048576 bytes")
	})
}

// A program that does not know a layout leaves the instance to others, as it is. A program with a
// layout that knows both continues it.
func TestAnUnknownLayoutIsLeftToAProgramThatKnowsIt(t *testing.T) {
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		first := shop.OrderDurable
		e := opened(t, store)
		_, err := durable.Serve(e, first, shop.New()).Start(t.Context(), "a", request)
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, e.Shutdown(t.Context()))

		changed := first
		changed.Layout = "2"
		e = opened(t, store)
		durable.Serve(e, changed, shop.New())
		require.NoError(t, e.Signal(t.Context(), "a", "approval", shop.Approval{Yes: true}))
		time.Sleep(time.Minute)
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, durable.Waiting, i.Status)
		assert.Equal(t, 1, e.Metrics().Foreign)
		assert.Zero(t, e.Metrics().Taken)
		require.NoError(t, e.Shutdown(t.Context()))

		changed.Resumes = []string{first.Layout}
		s := shop.New()
		_, err = durable.Serve(opened(t, store), changed, s).Handle("a").Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, s.Count("charge"))
		assert.Zero(t, s.Count("reserve"), "that was before")
	})
}

// The record of an instance that an earlier version of this package has written does not name the
// layout. The first worker that takes it adds the name.
func TestARecordWithoutALayoutIsLeftOnce(t *testing.T) {
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		e := opened(t, store)
		_, err := durable.Serve(e, shop.OrderDurable, shop.New()).Start(t.Context(), "a", request)
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, e.Shutdown(t.Context()))
		r, err := store.Load(t.Context(), "a")
		require.NoError(t, err)
		layout := r.Layout
		require.NotEmpty(t, layout)
		r.Layout, r.Due = "", time.Now()
		_, err = store.Swap(t.Context(), r)
		require.NoError(t, err)

		changed := shop.OrderDurable
		changed.Layout = "2"
		e = opened(t, store)
		durable.Serve(e, changed, shop.New())
		time.Sleep(time.Minute)
		assert.EqualValues(t, 1, e.Metrics().Taken)
		r, err = store.Load(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, layout, r.Layout)
		assert.Equal(t, durable.Waiting, r.Status)
	})
}

func TestADamagedInstanceIsStuckAndResumed(t *testing.T) {
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		e := opened(t, store)
		orders := durable.Serve(e, shop.OrderDurable, shop.New())
		_, err := orders.Start(t.Context(), "a", request)
		require.NoError(t, err)
		synctest.Wait()
		r, err := store.Load(t.Context(), "a")
		require.NoError(t, err)
		r.State[len(r.State)-5] ^= 1
		_, err = store.Swap(t.Context(), r)
		require.NoError(t, err)
		require.NoError(t, e.Signal(t.Context(), "a", "approval", shop.Approval{Yes: true}))
		synctest.Wait()
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, durable.Stuck, i.Status)
		assert.Equal(t, durable.ErrCorrupt.Error(), i.Reason)

		r, err = store.Load(t.Context(), "a")
		require.NoError(t, err)
		r.State[len(r.State)-5] ^= 1 // the store has a copy of its own
		_, err = store.Swap(t.Context(), r)
		require.NoError(t, err)
		require.NoError(t, e.Resume(t.Context(), "a"))
		_, err = orders.Handle("a").Wait(t.Context())
		require.NoError(t, err)
	})
}

// Shutdown lets the step end, and the next engine continues after it.
func TestShutdownStopsAtTheNextPoint(t *testing.T) {
	in(t, func(t *testing.T) {
		store, s := durable.NewMemory(), shop.New()
		inStep, gate := make(chan struct{}), make(chan struct{})
		s.Before = func(step string) {
			if step == "reserve" {
				close(inStep)
				<-gate
			}
		}
		e := opened(t, store)
		orders := durable.Serve(e, shop.OrderDurable, s)
		_, err := orders.Start(t.Context(), "a", request)
		require.NoError(t, err)
		<-inStep
		time.AfterFunc(time.Second, func() { close(gate) })
		require.NoError(t, e.Shutdown(t.Context()))
		_, err = orders.Start(t.Context(), "b", request)
		require.ErrorIs(t, err, durable.ErrShutdown)
		_, err = orders.Handle("a").Wait(t.Context())
		require.ErrorIs(t, err, durable.ErrShutdown)

		e = opened(t, store)
		orders = durable.Serve(e, shop.OrderDurable, s)
		require.NoError(t, e.Signal(t.Context(), "a", "approval", shop.Approval{Yes: true}))
		_, err = orders.Handle("a").Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, s.Count("reserve"))
	})
}

// A step that does not end delays Shutdown only until the context of Shutdown ends. Another
// engine repeats the step with the same key when the lease has expired.
func TestAStepOfADeadWorkerIsRepeatedWithItsKey(t *testing.T) {
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		var mu sync.Mutex
		var keys []string // guarded by mu: the dead worker's call overlaps the second one
		called := func(key string) int {
			mu.Lock()
			defer mu.Unlock()
			keys = append(keys, key)
			return len(keys)
		}
		f := scripted{step: func(ctx context.Context) (int, error) {
			n := called(durable.Key(ctx))
			if n == 1 {
				<-ctx.Done()
			}
			return n, ctx.Err()
		}}
		e, err := durable.Open(t.Context(), store, quiet())
		require.NoError(t, err)
		_, err = durable.Serve(e, f.function(), struct{}{}).Start(t.Context(), "a", 1)
		require.NoError(t, err)
		synctest.Wait()
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, io.ErrShortWrite)
		defer cancel()
		require.ErrorIs(t, e.Shutdown(ctx), io.ErrShortWrite)
		begin := time.Now()
		n, err := durable.Serve(opened(t, store), f.function(), struct{}{}).Handle("a").Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 2, n)
		assert.Equal(t, keys[0], keys[1])
		assert.Less(t, time.Since(begin), 11*time.Second)
	})
}

func TestWhatCannotBeServedSaysWhy(t *testing.T) {
	e := opened(t, durable.NewMemory())
	var c chan int
	_, err := durable.Serve(e, scripted{live: &c}.function(), struct{}{}).Start(t.Context(), "a", 1)
	require.ErrorContains(t, err, "live (type chan int) cannot be saved")
	durable.Serve(e, shop.OrderDurable, shop.New())
	_, err = durable.Serve(e, shop.OrderDurable, shop.New()).Start(t.Context(), "a", request)
	require.ErrorContains(t, err, "served already")
	_, err = durable.Open(t.Context(), nil)
	require.Error(t, err)
}

// A client starts an instance and waits; another engine does the work.
func TestAClientRunsNothing(t *testing.T) {
	in(t, func(t *testing.T) {
		store, s, other := durable.NewMemory(), shop.New(), shop.New()
		h, err := durable.Serve(opened(t, store, durable.Client()), shop.OrderDurable, other).Start(t.Context(), "a", request)
		require.NoError(t, err)
		require.NoError(t, h.Signal(t.Context(), "approval", shop.Approval{Yes: true}))
		time.Sleep(time.Minute)
		durable.Serve(opened(t, store), shop.OrderDurable, s)
		_, err = h.Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, s.Count("charge"))
		assert.Zero(t, other.Count("reserve"))
	})
}

func TestThePlainFormRunsUnderItsContextAlone(t *testing.T) {
	_, err := shop.New().Order(t.Context(), request)
	require.ErrorIs(t, err, durable.ErrNotDurable)
	receipt, err := shop.New().Order(durabletest.Plain(t.Context(), durabletest.Signal{Name: "approval", Value: shop.Approval{Yes: true}}), request)
	require.NoError(t, err)
	assert.Equal(t, 20, receipt.Price)
	s := shop.New()
	_, err = s.Order(durabletest.Plain(t.Context(), durabletest.Signal{Name: "approval", Value: shop.Approval{}}), request)
	require.ErrorIs(t, err, shop.ErrRefused)
	assert.Equal(t, 1, s.Count("unreserve"))
}

func TestCompensateCallsWhatFits(t *testing.T) {
	lost := errors.New("lost")
	for _, c := range []struct {
		step any
		args []any
		want string
	}{
		{func(context.Context, int, error) error { return nil }, []any{1, nil}, "lost"},
		{func(context.Context) (int, error) { return 0, io.EOF }, nil, "lost\nEOF"},
		{func(context.Context, int) {}, []any{"a"}, "lost\ndurable: Compensate cannot pass a string as argument 1 of a func(context.Context, int)"},
		{func(int) {}, []any{}, "lost\ndurable: Compensate cannot call a func(int) with a context and 0 arguments"},
		{nil, nil, "lost\ndurable: Compensate needs a function, not a <nil>"},
	} {
		err := lost
		durable.Compensate(t.Context(), &err, c.step, c.args...)
		require.EqualError(t, err, c.want)
	}
}
