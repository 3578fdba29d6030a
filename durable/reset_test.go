package durable_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/internal/shop"
)

// suspended is an order that waits for its approval.
func suspended(t *testing.T, s *shop.Shop, opts ...durable.Option) (*durable.Engine, durable.Handle[shop.Receipt]) {
	t.Helper()
	e := opened(t, durable.NewMemory(), opts...)
	h, err := durable.Serve(e, shop.OrderDurable, s).Start(t.Context(), "a", request)
	require.NoError(t, err)
	synctest.Wait()
	return e, h
}

func TestAResetGoesBackAndSaysWhatItThrewAway(t *testing.T) {
	for _, point := range []string{"begin", "reserve"} {
		t.Run(point, func(t *testing.T) {
			in(t, func(t *testing.T) {
				s := shop.New()
				e, h := suspended(t, s, durable.Trail(1<<16))
				begin := time.Now()
				require.NoError(t, e.Reset(t.Context(), "a", point))
				synctest.Wait()
				i, err := e.Get(t.Context(), "a")
				require.NoError(t, err)
				assert.Equal(t, "approval", i.Point)
				assert.Equal(t, []string{"shop.unreserve", "shop.unreserve"}, i.Deferred, "both reservations are to be undone")
				require.Len(t, i.Resets, 1)
				assert.Equal(t, []string{"approval", point}, []string{i.Resets[0].From, i.Resets[0].To})
				assert.True(t, begin.Equal(i.Resets[0].When))
				assert.Contains(t, string(i.Resets[0].Dropped["held"]), `"Price":20`)
				_, reserved := s.Sum()
				assert.Equal(t, 40, reserved, "the step had another key")
				require.NoError(t, h.Signal(t.Context(), "approval", shop.Approval{}))
				_, err = h.Wait(t.Context())
				require.ErrorIs(t, err, shop.ErrRefused)
				_, reserved = s.Sum()
				assert.Zero(t, reserved)
				i, err = e.Get(t.Context(), "a")
				require.NoError(t, err)
				assert.Len(t, i.Resets, 1, "also at the end")
				require.ErrorIs(t, e.Reset(t.Context(), "a", point), durable.ErrEnded)
			})
		})
	}
}

// The order is in its charge, which fails for another reason than that of the order.
func TestAResetToAWaitWaitsAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("three days of ticks take seconds under the race detector")
	}
	in(t, func(t *testing.T) {
		s := shop.New()
		inStep := make(chan struct{}, 9)
		gate := make(chan struct{})
		s.Before = func(step string) {
			if step == "charge" {
				inStep <- struct{}{}
				<-gate
			}
		}
		e, h := suspended(t, s, durable.Trail(1<<16))
		time.Sleep(71 * time.Hour)
		require.NoError(t, h.Signal(t.Context(), "approval", shop.Approval{Yes: true}))
		<-inStep
		require.NoError(t, e.Reset(t.Context(), "a", "approval"))
		gate <- struct{}{} // its result is dropped
		synctest.Wait()
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, "approval", i.Signal)
		assert.Equal(t, time.Now().Add(72*time.Hour).UTC(), i.Until, "the wait begins again")
		require.NoError(t, h.Signal(t.Context(), "approval", shop.Approval{Yes: true}))
		close(gate)
		receipt, err := h.Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 20, receipt.Price)
		assert.Equal(t, 2, s.Count("charge"))
	})
}

func TestAStuckInstanceIsReset(t *testing.T) {
	in(t, func(t *testing.T) {
		calls := 0
		f := scripted{
			step: func(context.Context) (int, error) { calls++; return calls, nil },
			between: func(n int) {
				if n == 1 {
					panic("one")
				}
			},
		}
		e := opened(t, durable.NewMemory(), durable.Trail(1<<16))
		h, err := durable.Serve(e, f.function(), struct{}{}).Start(t.Context(), "a", 1)
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, e.Reset(t.Context(), "a", "begin"))
		n, err := h.Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 2, n)
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Contains(t, i.Resets[0].Reason, "panic: one")
	})
}

func TestAResetThatCannotBeMadeChangesNothing(t *testing.T) {
	in(t, func(t *testing.T) {
		e, _ := suspended(t, shop.New())
		require.ErrorIs(t, e.Reset(t.Context(), "a", "reserve"), durable.ErrNoTrail, "it was not asked to keep one")
	})
	in(t, func(t *testing.T) {
		e, _ := suspended(t, shop.New())
		require.NoError(t, e.Reset(t.Context(), "a", "begin"), "the beginning is kept in any case")
	})
	in(t, func(t *testing.T) {
		e, h := suspended(t, shop.New(), durable.Trail(10))
		require.NoError(t, e.Reset(t.Context(), "a", "reserve"), "the latest is kept in any case")
		require.ErrorContains(t, e.Reset(t.Context(), "a", "other"), `no point "other"`)
		require.ErrorContains(t, e.Reset(t.Context(), "a", "return"), `no point "return"`)
		require.ErrorIs(t, e.Reset(t.Context(), "none", "begin"), durable.ErrNotFound)
		require.NoError(t, h.Cancel(t.Context()))
		_, err := h.Wait(t.Context())
		require.True(t, errors.Is(err, durable.ErrCanceled))
	})
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		_, err := durable.Serve(opened(t, store), shop.OrderDurable, shop.New()).Start(t.Context(), "a", request)
		require.NoError(t, err)
		require.ErrorContains(t, opened(t, store, durable.Client()).Reset(t.Context(), "a", "begin"), "not served")
	})
}
