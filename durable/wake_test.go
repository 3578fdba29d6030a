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
)

// slowAnswer is a store whose answer to the first write of a waiting instance is late.
type slowAnswer struct {
	durable.Store
	late chan struct{}
}

func (s *slowAnswer) Swap(ctx context.Context, r *durable.Record) (bool, error) {
	mail, err := s.Store.Swap(ctx, r)
	if r.Status == durable.Waiting {
		<-s.late
	}
	return mail, err
}

func (s *slowAnswer) Notify(f func()) (stop func()) { return s.Store.(durable.Notifier).Notify(f) }

// The signal comes after the write that gives the instance up, and before the engine knows
// that it is written. So the store hands the instance out while it still runs here.
func TestASignalBesideTheEndOfARunIsNotLate(t *testing.T) {
	in(t, func(t *testing.T) {
		store := &slowAnswer{durable.NewMemory(), make(chan struct{})}
		e := opened(t, store, durable.Lease(time.Hour))
		h, err := durable.Serve(e, shop.OrderDurable, shop.New()).Start(t.Context(), "a", request)
		require.NoError(t, err)
		synctest.Wait()
		begin := time.Now()
		require.NoError(t, h.Signal(t.Context(), "approval", shop.Approval{Yes: true}))
		synctest.Wait()
		close(store.late)
		_, err = h.Wait(t.Context())
		require.NoError(t, err)
		assert.Less(t, time.Since(begin), time.Hour, "until the store hands the instance out again")
	})
}
