package durable_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/internal/shop"
	"github.com/movenext/movenext/durable/stores"
)

// spy is a store that keeps everything that was passed to it.
type spy struct {
	stores.Store

	mu  sync.Mutex
	all bytes.Buffer
}

func (s *spy) see(v any, raw []byte) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all.Write(data)
	s.all.Write(raw)
}

func (s *spy) Swap(ctx context.Context, r *stores.Record) (bool, error) {
	s.see(r, r.State)
	return s.Store.Swap(ctx, r)
}

func (s *spy) Send(ctx context.Context, id string, m stores.Message) error {
	s.see(m, m.Payload)
	return s.Store.Send(ctx, id, m)
}

// mask is a codec, but does not encrypt: it masks bytes, and checks the id.
type mask byte

func (k mask) flip(data []byte) []byte {
	data = bytes.Clone(data)
	for i := range data {
		data[i] ^= byte(k)
	}
	return data
}

func (k mask) Encode(id string, plain []byte) ([]byte, error) {
	return k.flip(append([]byte(id+"\n"), plain...)), nil
}

func (k mask) Decode(id string, data []byte) ([]byte, error) {
	plain, ok := bytes.CutPrefix(k.flip(data), []byte(id+"\n"))
	if !ok {
		return nil, errors.New("another key, or another instance")
	}
	return plain, nil
}

// secrets occur in the request, in values, errors, signals, answers and progress.
func TestAStoreBehindACodecSeesNoPlainText(t *testing.T) {
	in(t, func(t *testing.T) {
		const secret = "s3cr3t"
		store := &spy{Store: durable.NewMemory()}
		e := opened(t, store, durable.Payloads(mask(0xa5)), durable.Trail(1<<16), durable.RetryStep("", durable.Retry{Attempts: 2}))
		orders, baskets := durable.Serve(e, shop.OrderDurable, shop.New()), durable.Serve(e, shop.BasketDurable, shop.New())
		h, err := orders.Start(t.Context(), "a", shop.Request{Items: []string{secret}, Card: secret})
		require.NoError(t, err)
		b, err := baskets.Start(t.Context(), "b", 9)
		require.NoError(t, err)
		answer, err := durable.Update[string](t.Context(), e, "b", "add", secret)
		require.NoError(t, err)
		assert.Contains(t, answer, secret)
		synctest.Wait()
		require.NoError(t, h.Signal(t.Context(), "approval", shop.Approval{Yes: true}))
		receipt, err := h.Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, secret, receipt.Charge)
		_, err = b.Wait(t.Context())
		require.NoError(t, err)

		f := scripted{
			step: func(ctx context.Context) (int, error) {
				if durable.Attempt(ctx) == 1 {
					return 0, errors.Join(durable.Heartbeat(ctx, secret), errors.New(secret))
				}
				return 1, nil
			},
			between: func(int) { panic(secret) },
		}
		_, err = durable.Serve(e, f.function(), struct{}{}).Start(t.Context(), "c", 1)
		require.NoError(t, err)
		time.Sleep(time.Minute) // the second attempt
		i, err := e.Get(t.Context(), "c")
		require.NoError(t, err)
		assert.Contains(t, i.Reason, secret, "people who have the key read it")
		list, err := e.List(t.Context(), durable.Filter{})
		require.NoError(t, err)
		assert.Len(t, list, 3)
		assert.NotContains(t, store.all.String(), secret)
		assert.NotContains(t, store.all.String(), "layout")
		assert.Greater(t, store.all.Len(), 1000)
	})
}

// A worker with another key changes nothing, and one with the right key continues. Data stored
// without a codec can be read with one.
func TestAnotherKeyLeavesTheInstanceAsItIs(t *testing.T) {
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		e := opened(t, store)
		_, err := durable.Serve(e, shop.OrderDurable, shop.New()).Start(t.Context(), "a", request)
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, e.Shutdown(t.Context()))

		right := opened(t, store, durable.Payloads(mask(1)))
		h := durable.Serve(right, shop.BasketDurable, shop.New())
		durable.Serve(right, shop.OrderDurable, shop.New())
		require.NoError(t, right.Signal(t.Context(), "a", "other", 1))
		_, err = h.Start(t.Context(), "b", 1)
		require.NoError(t, err)
		synctest.Wait()
		i, err := right.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, durable.Waiting, i.Status, i.Reason)
		require.NoError(t, right.Shutdown(t.Context()))
		before, err := store.Load(t.Context(), "b")
		require.NoError(t, err)

		wrong := opened(t, store, durable.Payloads(mask(2)))
		durable.Serve(wrong, shop.BasketDurable, shop.New())
		time.Sleep(2 * time.Hour) // the wait is over
		i, err = wrong.Get(t.Context(), "b")
		require.NoError(t, err)
		assert.Equal(t, durable.Stuck, i.Status)
		assert.Contains(t, i.Reason, durable.ErrCorrupt.Error())
		require.NoError(t, wrong.Shutdown(t.Context()))
		after, err := store.Load(t.Context(), "b")
		require.NoError(t, err)
		assert.Equal(t, before.State, after.State)

		right = opened(t, store, durable.Payloads(mask(1)))
		h = durable.Serve(right, shop.BasketDurable, shop.New())
		require.NoError(t, right.Resume(t.Context(), "b"))
		items, err := h.Handle("b").Wait(t.Context())
		require.NoError(t, err)
		assert.Empty(t, items)
	})
}
