package durable_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/internal/shop"
)

// price is a handler that reads an order's reservation.
func price(i *durable.Instance) (int, error) {
	var held shop.Held
	err := i.Value("held", &held)
	return held.Price, err
}

func TestAQueryAnswersFromTheSavedValues(t *testing.T) {
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		h, err := durable.Serve(opened(t, store), shop.OrderDurable, shop.New()).Start(t.Context(), "a", request)
		require.NoError(t, err)
		synctest.Wait()
		client := opened(t, store, durable.Client())
		durable.Serve(client, shop.OrderDurable, shop.New())
		got, err := durable.Query(t.Context(), client, "a", price)
		require.NoError(t, err)
		assert.Equal(t, 20, got)
		again, err := durable.Query(t.Context(), client, "a", func(i *durable.Instance) (shop.Request, error) {
			var o, other shop.Request
			err := errors.Join(i.Value("o", &o), i.Value("o", &other))
			other.Items[0] = "changed"
			return o, err
		})
		require.NoError(t, err)
		assert.Equal(t, request, again, "two calls share nothing")

		_, err = durable.Query(t.Context(), client, "none", price)
		require.ErrorIs(t, err, durable.ErrNotFound)
		for _, c := range []struct {
			into any
			want string
		}{
			{new(int), "cannot be loaded"}, {shop.Held{}, "needs a pointer"}, {nil, "needs a pointer"}, {(*int)(nil), "needs a pointer"},
		} {
			_, err = durable.Query(t.Context(), client, "a", func(i *durable.Instance) (int, error) { return 0, i.Value("held", c.into) })
			require.ErrorContains(t, err, c.want)
		}
		_, err = durable.Query(t.Context(), client, "a", func(*durable.Instance) (int, error) { panic("lost") })
		require.ErrorContains(t, err, "panic: lost")
		require.NoError(t, h.Signal(t.Context(), "approval", shop.Approval{Yes: true}))
		_, err = h.Wait(t.Context())
		require.NoError(t, err)
		_, err = durable.Query(t.Context(), client, "a", price)
		require.ErrorIs(t, err, durable.ErrNoValue, "it has ended")
	})
}

func TestAQueryOfADamagedInstanceSaysSo(t *testing.T) {
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		e := opened(t, store)
		_, err := durable.Serve(e, shop.OrderDurable, shop.New()).Start(t.Context(), "a", request)
		require.NoError(t, err)
		synctest.Wait()
		r, err := store.Load(t.Context(), "a")
		require.NoError(t, err)
		r.State = r.State[1:]
		_, err = store.Swap(t.Context(), r)
		require.NoError(t, err)
		_, err = durable.Query(t.Context(), e, "a", price)
		require.ErrorIs(t, err, durable.ErrCorrupt)
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		require.ErrorIs(t, i.Value("held", new(shop.Held)), durable.ErrNoValue)
	})
}
