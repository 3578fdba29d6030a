package durable_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/internal/shop"
	"github.com/movenext/movenext/durable/stores"
)

// A start with a signal is repeated: the signal has its effect once, before and after the end.
func TestAStartWithASignalIsIdempotent(t *testing.T) {
	in(t, func(t *testing.T) {
		s := shop.New()
		e := opened(t, durable.NewMemory())
		orders := durable.Serve(e, shop.OrderDurable, s)
		yes := durable.WithSignal("approval", shop.Approval{Yes: true}, durable.SignalKey("k"))
		for range 3 {
			h, err := orders.Start(t.Context(), "a", request, yes)
			require.NoError(t, err)
			receipt, err := h.Wait(t.Context())
			require.NoError(t, err)
			assert.Equal(t, 20, receipt.Price)
		}
		assert.Equal(t, 1, s.Count("charge"))
		_, err := orders.Start(t.Context(), "a", request, durable.WithSignal("approval", shop.Approval{}))
		require.ErrorIs(t, err, durable.ErrEnded)
		_, err = orders.Start(t.Context(), "a", shop.Request{}, yes)
		require.ErrorIs(t, err, durable.ErrOther)
		for _, wrong := range []durable.StartOption{durable.WithSignal("$cancel", 1), durable.WithSignal("c", make(chan int))} {
			_, err = orders.Start(t.Context(), "b", request, wrong)
			require.Error(t, err)
		}
		_, err = e.Get(t.Context(), "b")
		require.ErrorIs(t, err, durable.ErrNotFound, "nothing is started for a signal that cannot be sent")
		_, err = orders.Start(t.Context(), "b", request)
		require.NoError(t, err)
		synctest.Wait()
		_, err = orders.Start(t.Context(), "b", request, yes)
		require.NoError(t, err, "it exists, and waits")
		_, err = orders.Handle("b").Wait(t.Context())
		require.NoError(t, err)
	})
}

// speechless is a store that loses the signals of a process that dies after it has started an
// instance.
type speechless struct{ stores.Store }

func (speechless) Send(context.Context, string, stores.Message) error {
	return context.DeadlineExceeded
}

func TestAStartWhoseSignalIsMissingRunsLater(t *testing.T) {
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		dying := durable.Serve(opened(t, speechless{store}, durable.Client()), shop.OrderDurable, shop.New())
		e := opened(t, store)
		orders := durable.Serve(e, shop.OrderDurable, shop.New())
		yes := durable.WithSignal("approval", shop.Approval{Yes: true}, durable.SignalKey("k"))
		_, err := dying.Start(t.Context(), "a", request, yes)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		synctest.Wait()
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, "begin", i.Point, "it waits for its signal")
		time.Sleep(20 * time.Second)
		synctest.Wait()
		i, err = e.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, "approval", i.Point, "but not for ever")
		h, err := orders.Start(t.Context(), "a", request, yes)
		require.NoError(t, err)
		_, err = h.Wait(t.Context())
		require.NoError(t, err)
	})
}

func TestAStoreWithoutTransactionsSaysSo(t *testing.T) {
	in(t, func(t *testing.T) {
		e := opened(t, durable.NewMemory())
		_, err := durable.Serve(e, shop.OrderDurable, shop.New()).StartTx(t.Context(), nil, "a", request)
		require.ErrorIs(t, err, durable.ErrNoTx)
		require.ErrorIs(t, e.SignalTx(t.Context(), nil, "a", "approval", 1), durable.ErrNoTx)
	})
}
