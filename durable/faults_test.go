package durable_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/internal/shop"
	"github.com/movenext/movenext/durable/stores"
)

// broken is a store whose writes, or all calls, fail for a while.
type broken struct {
	stores.Store
	writes, reads atomic.Pointer[error]
}

func (s *broken) fail(p *atomic.Pointer[error]) error {
	if err := p.Load(); err != nil {
		return *err
	}
	return nil
}

func (s *broken) Swap(ctx context.Context, r *stores.Record) (bool, error) {
	if err := s.fail(&s.writes); err != nil {
		return false, err
	}
	return s.Store.Swap(ctx, r)
}

func (s *broken) Send(ctx context.Context, id string, m stores.Message) error {
	if err := s.fail(&s.writes); err != nil {
		return err
	}
	return s.Store.Send(ctx, id, m)
}

func (s *broken) Lease(ctx context.Context, worker string, until time.Time) error {
	if err := s.fail(&s.writes); err != nil {
		return err
	}
	return s.Store.Lease(ctx, worker, until)
}

func (s *broken) Take(ctx context.Context, t stores.Taking) ([]stores.Taken, time.Time, error) {
	if err := errors.Join(s.fail(&s.writes), s.fail(&s.reads)); err != nil {
		return nil, time.Time{}, err
	}
	return s.Store.Take(ctx, t)
}

func (s *broken) Load(ctx context.Context, id string) (*stores.Record, error) {
	if err := s.fail(&s.reads); err != nil {
		return nil, err
	}
	return s.Store.Load(ctx, id)
}

func (s *broken) Inbox(ctx context.Context, id string, after int64) ([]stores.Message, error) {
	if err := s.fail(&s.reads); err != nil {
		return nil, err
	}
	return s.Store.Inbox(ctx, id, after)
}

var (
	errFull error = syscall.ENOSPC
	errDown       = errors.New("connection refused")
)

func TestAStoreThatIsDownAtTheStartIsSaid(t *testing.T) {
	store := &broken{Store: durable.NewMemory()}
	store.writes.Store(&errDown)
	_, err := durable.Open(t.Context(), store, quiet())
	require.ErrorIs(t, err, errDown)
	require.ErrorContains(t, err, "the store cannot be used")
}

// The disk is full for an hour, or the whole store is down. The failure begins during a step.
func TestAnOrderOutlivesAnHourWithoutItsStore(t *testing.T) {
	for _, c := range []struct {
		name  string
		err   error
		reads bool
	}{{"full disk", errFull, false}, {"down", errDown, true}} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				store, s := &broken{Store: durable.NewMemory()}, shop.New()
				s.Before = func(step string) {
					if step == "reserve" && s.Count(step) == 0 {
						store.writes.Store(&c.err)
						if c.reads {
							store.reads.Store(&c.err)
						}
					}
				}
				e := opened(t, store, durable.Poll(time.Minute))
				orders := durable.Serve(e, shop.OrderDurable, s)
				h, err := orders.Start(t.Context(), "a", request)
				require.NoError(t, err)
				time.Sleep(time.Hour)
				_, err = orders.Start(t.Context(), "b", request)
				require.ErrorIs(t, err, c.err)
				require.ErrorIs(t, h.Signal(t.Context(), "approval", shop.Approval{Yes: true}), c.err)
				store.writes.Store(nil)
				store.reads.Store(nil)
				require.NoError(t, h.Signal(t.Context(), "approval", shop.Approval{Yes: true}))
				_, err = h.Wait(t.Context())
				require.NoError(t, err)
				charged, reserved := s.Sum()
				assert.Equal(t, [2]int{20, 20}, [2]int{charged, reserved}, "each effect once for its key")
				assert.Positive(t, e.Metrics().Errors)
				_, err = orders.Start(t.Context(), "b", request)
				require.NoError(t, err)
			})
		})
	}
}

// small is a store that limits the size of a state, like servers that limit the size of messages.
type small struct {
	stores.Store
	most int
}

func (s small) Swap(ctx context.Context, r *stores.Record) (bool, error) {
	if len(r.State) > s.most {
		return false, fmt.Errorf("%w: the server takes %d", durable.ErrTooLarge, s.most)
	}
	return s.Store.Swap(ctx, r)
}

// If the store can never keep a checkpoint, the instance is stuck at the previous one, with that
// one's values. With a larger limit it continues.
func TestACheckpointThatTheStoreCannotKeepIsAReasonToBeStuck(t *testing.T) {
	in(t, func(t *testing.T) {
		store, s := durable.NewMemory(), shop.New()
		const most = 3000 // a beginning fits, and a few items of a basket
		e := opened(t, small{store, most})
		baskets := durable.Serve(e, shop.BasketDurable, s)
		h, err := baskets.Start(t.Context(), "a", 1000)
		require.NoError(t, err)
		for n := 0; ; n++ {
			item := fmt.Sprint(n, strings.Repeat("x", 100))
			require.NoError(t, h.Signal(t.Context(), "add", durable.Asked[string]{Value: item}))
			synctest.Wait()
			i, err := e.Get(t.Context(), "a")
			require.NoError(t, err)
			if i.Status == durable.Stuck {
				assert.Contains(t, i.Reason, "the server takes 3000")
				break
			}
			require.Less(t, n, 100)
		}
		assert.Zero(t, e.Metrics().Errors, "it is not a failure of the store")
		require.NoError(t, e.Shutdown(t.Context()))
		larger := opened(t, store)
		durable.Serve(larger, shop.BasketDurable, s)
		require.NoError(t, larger.Resume(t.Context(), "a"))
		synctest.Wait()
		i, err := larger.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, durable.Waiting, i.Status)
	})
}

// Two engines whose clocks jump by up to an hour in both directions at each reading.
func TestOrdersEndOnceUnderClocksThatJump(t *testing.T) {
	for seed := range uint64(5) {
		in(t, func(t *testing.T) {
			const orders = 20
			store, s := durable.NewMemory(), shop.New()
			var served []*durable.Served[shop.Request, shop.Receipt]
			for i := range uint64(2) {
				var mu sync.Mutex
				random := rand.New(rand.NewPCG(seed, i))
				jumps := func() time.Time {
					mu.Lock()
					defer mu.Unlock()
					return time.Now().Add(time.Duration(random.Int64N(int64(2*time.Hour))) - time.Hour)
				}
				served = append(served, durable.Serve(opened(t, store, durable.Clock(jumps)), shop.OrderDurable, s))
			}
			for i := range orders {
				h, err := served[i%2].Start(t.Context(), fmt.Sprint(i), request)
				require.NoError(t, err)
				require.NoError(t, h.Signal(t.Context(), "approval", shop.Approval{Yes: true}))
			}
			for i := range orders {
				_, err := served[1-i%2].Handle(fmt.Sprint(i)).Wait(t.Context())
				require.NoError(t, err)
			}
			charged, reserved := s.Sum()
			assert.Equal(t, [2]int{20 * orders, 20 * orders}, [2]int{charged, reserved})
		})
	}
}

// The clock is set back by a day while an order waits for three.
func TestAClockThatIsSetBackDelaysNoSignal(t *testing.T) {
	in(t, func(t *testing.T) {
		var back atomic.Int64
		e := opened(t, durable.NewMemory(), durable.Clock(func() time.Time { return time.Now().Add(time.Duration(back.Load())) }))
		orders := durable.Serve(e, shop.OrderDurable, shop.New())
		h, err := orders.Start(t.Context(), "a", request)
		require.NoError(t, err)
		synctest.Wait()
		back.Store(-int64(24 * time.Hour))
		begin := time.Now()
		require.NoError(t, h.Signal(t.Context(), "approval", shop.Approval{Yes: true}))
		_, err = h.Wait(t.Context())
		require.NoError(t, err)
		assert.Less(t, time.Since(begin), time.Minute)
		h, err = orders.Start(t.Context(), "b", request)
		require.NoError(t, err)
		synctest.Wait()
		back.Store(int64(80 * time.Hour)) // and forward: it times out early
		_, err = h.Wait(t.Context())
		require.ErrorIs(t, err, durable.ErrTimeout)
		assert.Less(t, time.Since(begin), time.Hour)
	})
}

// An ended instance is kept for the retention, and then its id is free.
func TestAnIdIsFreeAfterTheRetention(t *testing.T) {
	in(t, func(t *testing.T) {
		s := shop.New()
		orders := durable.Serve(opened(t, durable.NewMemory(), durable.Retention(time.Hour)), shop.OrderDurable, s)
		other := shop.Request{Items: []string{"cup"}, Card: "other"}
		for n, r := range []shop.Request{request, other} {
			h, err := orders.Start(t.Context(), "a", r)
			require.NoError(t, err)
			require.NoError(t, h.Signal(t.Context(), "approval", shop.Approval{Yes: true}))
			receipt, err := h.Wait(t.Context())
			require.NoError(t, err)
			assert.Equal(t, r.Card, receipt.Charge)
			_, err = orders.Start(t.Context(), "a", shop.Request{})
			require.ErrorIs(t, err, durable.ErrOther, "it is kept for an hour")
			time.Sleep(time.Hour + 2*time.Minute)
			require.ErrorIs(t, h.Signal(t.Context(), "approval", nil), durable.ErrNotFound)
			charged, _ := s.Sum()
			assert.Equal(t, []int{20, 30}[n], charged, "its keys are its own")
		}
	})
}
