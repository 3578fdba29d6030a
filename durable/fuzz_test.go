package durable_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/internal/shop"
	"github.com/movenext/movenext/durable/stores"
)

// saved returns the documents of an order at its points: at the step, waiting, ended.
func saved(f *testing.F) (bodies [][]byte) {
	f.Helper()
	store := durable.NewMemory()
	keep := func() {
		r, err := store.Load(context.Background(), "a")
		require.NoError(f, err)
		_, body, _ := strings.Cut(string(r.State), "\n")
		bodies = append(bodies, []byte(body))
	}
	s := shop.New()
	s.Before = func(string) { keep() }
	e, err := durable.Open(f.Context(), store, quiet(), durable.Trail(10_000))
	require.NoError(f, err)
	served := durable.Serve(e, shop.OrderDurable, s)
	for _, yes := range []bool{true, false} {
		h, err := served.Start(f.Context(), "a", request)
		require.NoError(f, err)
		for i, err := e.Get(f.Context(), "a"); i == nil || i.Status != durable.Waiting; i, err = e.Get(f.Context(), "a") {
			require.NoError(f, err)
		}
		keep()
		require.NoError(f, h.Signal(f.Context(), "approval", shop.Approval{Yes: yes}))
		_, err = h.Wait(f.Context())
		require.Equal(f, yes, err == nil)
		keep()
		_, err = store.Purge(f.Context(), time.Now().Add(time.Hour), 1)
		require.NoError(f, err)
	}
	require.NoError(f, e.Shutdown(context.Background()))
	return bodies
}

// FuzzCheckpoint gives an engine checkpoints that no engine has written, with and without a
// correct checksum. Whatever they contain, nothing panics, and an instance that cannot be loaded
// is stuck with its checkpoint unchanged.
func FuzzCheckpoint(f *testing.F) {
	for _, body := range saved(f) {
		f.Add(body, true)
		f.Add(body, false)
	}
	f.Add([]byte(`{"layout":"`+shop.OrderDurable.Layout+`","point":"begin","steps":-1,"values":{"o":{"$ref":0}},"objects":[{"$ref":0}]}`), true)
	f.Add([]byte(`{"layout":"`+shop.OrderDurable.Layout+`","point":"return","undoing":true,"step":"x","values":{}}`), true)
	f.Add([]byte(`{"layout":"`+shop.OrderDurable.Layout+`","point":"approval","join":{"children":[{"function":"shop.Basket","id":"a"}]},"values":{}}`), true)
	f.Add([]byte(`{"layout":"`+shop.OrderDurable.Layout+`","point":"return","step":"shop.unreserve","attempt":1,"values":{"err":{"$error":{"text":"x"}},"r":{"Charge":"","Price":0}},"undoing":true}`), true)
	f.Fuzz(func(t *testing.T, body []byte, sealed bool) {
		synctest.Test(t, func(t *testing.T) {
			state := body
			if sealed {
				state = durable.Seal(body)
			}
			meet(t, state)
		})
	})
}

// meet stores a state for an engine, and calls everything that the engine can do with it.
func meet(t *testing.T, state []byte) {
	t.Helper()
	ctx := t.Context()
	store := durable.NewMemory()
	e, err := durable.Open(ctx, store, quiet(), durable.Trail(1000))
	require.NoError(t, err)
	durable.Serve(e, shop.OrderDurable, shop.New())
	durable.Serve(e, shop.BasketDurable, shop.New())
	_, err = store.Swap(ctx, &stores.Record{ID: "a", Function: "shop.Order", Run: "r", Status: durable.Running, Due: time.Now(), State: state})
	require.NoError(t, err)
	synctest.Wait()
	r, err := store.Load(ctx, "a")
	require.NoError(t, err)
	if r.Status == durable.Stuck && r.Version == 2 {
		require.Equal(t, state, r.State, "what is stuck is kept as it was: %s", r.Reason)
		require.NotEmpty(t, r.Reason)
	}
	for _, ask := range []func() error{
		func() error { _, err := e.Get(ctx, "a"); return err },
		func() error { _, err := e.List(ctx, durable.Filter{}); return err },
		func() error {
			_, err := durable.Query(ctx, e, "a", func(i *durable.Instance) (o shop.Request, err error) { return o, i.Value("o", &o) })
			return err
		},
		func() error { return e.Reset(ctx, "a", "reserve") },
		func() error { return e.Signal(ctx, "a", "approval", shop.Approval{Yes: true}) },
		func() error { return e.Resume(ctx, "a") },
		func() error { return e.Cancel(ctx, "a") },
		func() error { return e.Terminate(ctx, "a") },
	} {
		_ = ask() // it may refuse
		synctest.Wait()
	}
	require.NoError(t, e.Shutdown(ctx))
}

// An older worker loads a document of a later format; then a worker that knows the format does.
func TestACheckpointOfALaterFormatWaitsForItsProgram(t *testing.T) {
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		e := opened(t, store)
		orders := durable.Serve(e, shop.OrderDurable, shop.New())
		_, err := orders.Start(t.Context(), "a", request)
		require.NoError(t, err)
		synctest.Wait()
		r, err := store.Load(t.Context(), "a")
		require.NoError(t, err)
		now := r.State
		r.State = []byte(strings.Replace(string(now), "movenext durable 1 ", "movenext durable 2 ", 1))
		r.Status, r.Due = durable.Running, time.Now()
		_, err = store.Swap(t.Context(), r)
		require.NoError(t, err)
		synctest.Wait()
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		require.Equal(t, durable.Running, i.Status)
		require.Contains(t, i.Reason, "a later version of package durable has saved it")

		r, err = store.Load(t.Context(), "a")
		require.NoError(t, err)
		r.State = now // what the later program can read
		_, err = store.Swap(t.Context(), r)
		require.NoError(t, err)
		require.NoError(t, e.Shutdown(t.Context()))
		orders = durable.Serve(opened(t, store), shop.OrderDurable, shop.New())
		require.NoError(t, orders.Handle("a").Signal(t.Context(), "approval", shop.Approval{Yes: true}))
		_, err = orders.Handle("a").Wait(t.Context())
		require.NoError(t, err)
	})
}

// FuzzMessage puts a message into the inbox of an instance that no engine has sent: its name
// may be one that engines use themselves, and its payload anything. Nothing panics, and either
// the instance ends, or it still takes the signal that it waits for.
func FuzzMessage(f *testing.F) {
	for _, name := range []string{"approval", "add", "$cancel", "$child", "", "\x00"} {
		f.Add(name, "", []byte(`{"value":{"Yes":true}}`))
		f.Add(name, "k", []byte(`{"value":{"$ref":0},"objects":[{"$ref":0}]}`))
		f.Add(name, "", []byte(nil))
	}
	f.Fuzz(func(t *testing.T, name, key string, payload []byte) {
		synctest.Test(t, func(t *testing.T) {
			store := durable.NewMemory()
			e, err := durable.Open(t.Context(), store, quiet(), durable.Trail(1000))
			require.NoError(t, err)
			orders := durable.Serve(e, shop.OrderDurable, shop.New())
			baskets := durable.Serve(e, shop.BasketDurable, shop.New())
			_, err = orders.Start(t.Context(), "order", request)
			require.NoError(t, err)
			_, err = baskets.Start(t.Context(), "basket", 2)
			require.NoError(t, err)
			synctest.Wait()
			for _, id := range []string{"order", "basket"} {
				_ = store.Send(t.Context(), id, stores.Message{Name: name, Key: key, Payload: payload, Sent: time.Now()})
				synctest.Wait()
				i, err := e.Get(t.Context(), id)
				require.NoError(t, err)
				require.NotEqual(t, durable.Stuck, i.Status, "a message strands its instance: %s", i.Reason)
			}
			if i, err := e.Get(t.Context(), "order"); i.Status == durable.Waiting {
				require.NoError(t, err)
				require.NoError(t, e.Signal(t.Context(), "order", "approval", shop.Approval{Yes: true}))
				_, err = orders.Handle("order").Wait(t.Context())
				require.NoError(t, err)
			}
			require.NoError(t, e.Shutdown(context.Background()))
		})
	})
}
