package durabletest

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/internal/shop"
	"github.com/movenext/movenext/durable/stores"
)

// asleep is the store of a worker that does not renew its lease, as if it slept.
type asleep struct {
	stores.Store
	sleeps atomic.Bool
}

// Lease implements [stores.Store].
func (a *asleep) Lease(ctx context.Context, worker string, until time.Time) error {
	if a.sleeps.Load() {
		return nil
	}
	return a.Store.Lease(ctx, worker, until)
}

// TwoWorkers checks a store with two workers that run one instance. The first worker sleeps in a
// step past its lease, and the second one completes the order. Then the first one wakes up: its
// step has the same key, and its write conflicts. one and two must contain the same instances:
// they are one store, or two connections to it. TwoWorkers blocks until the check is done.
func TwoWorkers(t *testing.T, one, two stores.Store) {
	t.Helper()
	s := shop.New()
	var called atomic.Bool
	sleeps, wakes := make(chan struct{}), make(chan struct{})
	first := &asleep{Store: one}
	s.Before = func(string) {
		if called.CompareAndSwap(false, true) {
			first.sleeps.Store(true)
			close(sleeps)
			<-wakes
		}
	}
	quick := []durable.Option{durable.Lease(200 * time.Millisecond), durable.Poll(10 * time.Millisecond), durable.Log(slog.New(slog.DiscardHandler))}
	sleeper, err := durable.Open(t.Context(), first, quick...)
	require.NoError(t, err)
	h, err := durable.Serve(sleeper, shop.OrderDurable, s).Start(t.Context(), "a", shop.Request{Items: []string{"cup"}})
	require.NoError(t, err)
	<-sleeps
	require.NoError(t, h.Signal(t.Context(), "approval", shop.Approval{Yes: true}))
	other, err := durable.Open(t.Context(), two, quick...)
	require.NoError(t, err)
	_, err = durable.Serve(other, shop.OrderDurable, s).Handle("a").Wait(t.Context())
	require.NoError(t, err)
	close(wakes)
	require.NoError(t, sleeper.Shutdown(context.Background())) // it waits for the step
	require.NoError(t, other.Shutdown(context.Background()))
	assert.Positive(t, sleeper.Metrics().Conflicts)
	charged, reserved := s.Sum()
	assert.Equal(t, [2]int{10, 10}, [2]int{charged, reserved}, "two calls of reserve with one key")
	assert.GreaterOrEqual(t, s.Count("reserve"), 2)
}

// TwoPrograms checks a store that two programs use by mistake under one name. Each runs its own
// functions and leaves those of the other alone. An id belongs to the program that used it first.
// Instances of a function wait until a program that serves it runs. one and two must contain the
// same instances. TwoPrograms blocks until the check is done.
func TwoPrograms(t *testing.T, one, two stores.Store) {
	t.Helper()
	quick := []durable.Option{durable.Poll(10 * time.Millisecond), durable.Log(slog.New(slog.DiscardHandler))}
	open := func(s stores.Store) *durable.Engine {
		e, err := durable.Open(t.Context(), s, quick...)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, e.Shutdown(context.Background())) })
		return e
	}
	orders, baskets := open(one), open(two)
	ordered := durable.Serve(orders, shop.OrderDurable, shop.New())
	filled := durable.Serve(baskets, shop.BasketDurable, shop.New())
	order, err := ordered.Start(t.Context(), "order", shop.Request{Items: []string{"cup"}})
	require.NoError(t, err)
	basket, err := filled.Start(t.Context(), "basket", 10)
	require.NoError(t, err)
	_, err = filled.Start(t.Context(), "order", 10)
	require.ErrorIs(t, err, durable.ErrOther)

	// Each program sends to the instances of the other, and no message is lost.
	require.NoError(t, baskets.Signal(t.Context(), "order", "approval", shop.Approval{Yes: true}))
	_, err = order.Wait(t.Context())
	require.NoError(t, err)
	answer, err := durable.Update[string](t.Context(), baskets, "basket", "add", "cup")
	require.NoError(t, err)
	assert.Equal(t, "3 for [cup]", answer)
	require.NoError(t, orders.Terminate(t.Context(), "basket"))
	_, err = basket.Wait(t.Context())
	require.ErrorIs(t, err, durable.ErrTerminated)
}
