package coord

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/simulation"
)

// The worker runs other work during the wait, including the work that signals, in either order.
func TestACondOnAWorkerThatPumps(t *testing.T) {
	for seed := range uint64(20) {
		s := simulation.New(seed)
		ctx := s.Context(context.Background())
		var m Mutex
		c, ready := NewCond(&m), false
		waiter := job.Go(ctx, func(ctx context.Context) error {
			if err := m.Lock(ctx); err != nil {
				return err
			}
			defer m.Unlock()
			for !ready {
				if err := c.Wait(ctx); err != nil {
					return err
				}
			}
			return nil
		})
		signaler := job.Go(ctx, func(ctx context.Context) error {
			if err := m.Lock(ctx); err != nil {
				return err
			}
			ready = true
			c.Signal()
			m.Unlock()
			return nil
		})
		require.NoError(t, s.Run())
		_, err := waiter.GetResult()
		require.NoError(t, err)
		_, err = signaler.GetResult()
		require.NoError(t, err)
	}
}

func TestACondThatIsNeverSignaledOnAWorkerThatPumps(t *testing.T) {
	s := simulation.New(1)
	var m Mutex
	c := NewCond(&m)
	waiter := job.Go(s.Context(context.Background()), func(ctx context.Context) error {
		if err := m.Lock(ctx); err != nil {
			return err
		}
		defer m.Unlock() // is held in any case
		return c.Wait(ctx)
	})
	require.ErrorIs(t, s.Run(), schedulers.ErrWouldDeadlock)
	assert.ErrorIs(t, waiter.Err(), schedulers.ErrWouldDeadlock)
	assert.True(t, m.TryLock())
}
