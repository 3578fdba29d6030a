package durable_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/durabletest"
	"github.com/movenext/movenext/durable/internal/shop"
	"github.com/movenext/movenext/durable/stores"
)

// add is an update of a basket.
func add(t *testing.T, e *durable.Engine, item string, opts ...durable.SignalOption) (string, error) {
	t.Helper()
	return durable.Update[string](t.Context(), e, "a", "add", item, opts...)
}

func TestAnUpdateIsAnswered(t *testing.T) {
	in(t, func(t *testing.T) {
		store, s := durable.NewMemory(), shop.New()
		h, err := durable.Serve(opened(t, store), shop.BasketDurable, s).Start(t.Context(), "a", 2)
		require.NoError(t, err)
		client := opened(t, store, durable.Client())
		_, err = add(t, client, "cup", durable.SignalKey("first"))
		require.NoError(t, err)
		answer, err := add(t, client, "pots")
		require.NoError(t, err)
		assert.Equal(t, "7 for [cup pots]", answer)
		_, err = add(t, client, "spoon")
		require.ErrorIs(t, err, shop.ErrFull)
		for range 2 {
			answer, err = add(t, client, "something else", durable.SignalKey("first"))
			require.NoError(t, err)
			assert.Equal(t, "3 for [cup]", answer, "the answer to the first one of that key")
			items, err := h.Wait(t.Context())
			require.NoError(t, err)
			assert.Equal(t, []string{"cup", "pots"}, items)
		}
		_, err = add(t, client, "late")
		require.ErrorIs(t, err, durable.ErrEnded)
		_, err = durable.Update[int](t.Context(), client, "none", "add", "cup")
		require.ErrorIs(t, err, durable.ErrNotFound)
		_, err = durable.Update[int](t.Context(), client, "a", "$cancel", "cup")
		require.ErrorContains(t, err, "cannot be the name of a signal")
		_, err = durable.Update[int](t.Context(), client, "a", "add", make(chan int))
		require.ErrorContains(t, err, "cannot be saved")
	})
}

func TestAnUpdateIsRefusedBeforeTheFunctionSeesIt(t *testing.T) {
	in(t, func(t *testing.T) {
		e := opened(t, durable.NewMemory())
		baskets := durable.Serve(e, shop.BasketDurable, shop.New())
		durable.Validate(baskets, "add", func(i *durable.Instance, item string) error {
			var items []string
			if err := i.Value("items", &items); err != nil {
				return err
			}
			switch item {
			case "":
				return fmt.Errorf("no name, after %d items", len(items))
			case "panic":
				panic("lost")
			}
			return nil
		})
		h, err := baskets.Start(t.Context(), "a", 9)
		require.NoError(t, err)
		_, err = add(t, e, "cup")
		require.NoError(t, err)
		_, err = add(t, e, "")
		require.EqualError(t, err, "no name, after 1 items")
		_, err = add(t, e, "panic")
		require.ErrorContains(t, err, "panic: lost")
		_, err = durable.Update[string](t.Context(), e, "a", "add", 5)
		require.ErrorContains(t, err, "does not carry a durable.Asked[string]")
		items, err := h.Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"cup"}, items)
	})
}

// An answer that is too large becomes an error: dropping it would leave the caller waiting.
func TestAnErrorThatIsTooLargeIsAnAnswerNevertheless(t *testing.T) {
	in(t, func(t *testing.T) {
		e := opened(t, durable.NewMemory())
		baskets := durable.Serve(e, shop.BasketDurable, shop.New())
		durable.Validate(baskets, "add", func(*durable.Instance, string) error {
			return errors.New(strings.Repeat("no", 40<<10))
		})
		_, err := baskets.Start(t.Context(), "a", 9)
		require.NoError(t, err)
		_, err = add(t, e, "cup")
		require.ErrorContains(t, err, "an answer has at most")
	})
}

// A caller that gives up does not revoke its update.
func TestAnUpdateOutlivesItsCaller(t *testing.T) {
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		client := opened(t, store, durable.Client())
		_, err := durable.Serve(client, shop.BasketDurable, shop.New()).Start(t.Context(), "a", 9)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, context.Canceled)
		defer cancel()
		_, err = durable.Update[string](ctx, client, "a", "add", "cup", durable.SignalKey("k"))
		require.ErrorIs(t, err, context.Canceled, "no worker runs")
		durable.Serve(opened(t, store), shop.BasketDurable, shop.New())
		answer, err := add(t, client, "cup", durable.SignalKey("k"))
		require.NoError(t, err)
		assert.Equal(t, "3 for [cup]", answer)
	})
}

// The answers of all updates exist after a crash at each write, and each update has had its
// effect once.
func TestAnswersSurviveACrashAtEachWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var store stores.Store
		asked := func(key, item string) durabletest.Signal {
			return durabletest.Signal{Name: "add", Value: durable.Asked[string]{Key: key, Value: item}}
		}
		c := durabletest.Case[*shop.Shop, int, []string]{
			Function: shop.BasketDurable, Plain: (*shop.Shop).Basket, Receiver: shop.New, Request: 2,
			Signals: []durabletest.Signal{asked("1", "cup"), asked("2", "pots"), asked("3", "spoon")},
			Store:   func() stores.Store { store = durable.NewMemory(); return store },
		}
		c.Check = func(t testing.TB, _ *shop.Shop) {
			if store == nil {
				return // the plain form
			}
			e, err := durable.Open(context.Background(), store, durable.Client())
			require.NoError(t, err)
			defer func() { require.NoError(t, e.Shutdown(context.Background())) }()
			for key, want := range map[string]string{"1": "3 for [cup]", "2": "7 for [cup pots]", "3": ""} {
				got, err := durable.Update[string](context.Background(), e, "run", "add", "", durable.SignalKey(key))
				assert.Equal(t, want, got)
				assert.Equal(t, want == "", errors.Is(err, shop.ErrFull), "%v", err)
			}
		}
		assert.GreaterOrEqual(t, durabletest.CrashEverywhere(t, c), 8)
	})
}
