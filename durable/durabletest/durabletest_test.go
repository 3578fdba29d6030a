package durabletest_test

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/durabletest"
	"github.com/movenext/movenext/durable/internal/shop"
	"github.com/movenext/movenext/durable/stores"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheStoreInMemoryKeepsItsPromises(t *testing.T) {
	durabletest.Store(t, func(testing.TB) stores.Store { return durable.NewMemory() })
}

func TestTwoWorkersOfTheMemoryStore(t *testing.T) {
	s := durable.NewMemory()
	durabletest.TwoWorkers(t, s, s)
}

// order returns a case whose charges and reservations must balance.
func order(signals ...durabletest.Signal) durabletest.Case[*shop.Shop, shop.Request, shop.Receipt] {
	return durabletest.Case[*shop.Shop, shop.Request, shop.Receipt]{
		Function: shop.OrderDurable, Plain: (*shop.Shop).Order, Receiver: shop.New,
		Request: shop.Request{Items: []string{"cup", "pot"}, Card: "4711"}, Signals: signals,
	}
}

func TestAnOrderSurvivesACrashAtEachWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := order(durabletest.Signal{Name: "approval", Value: shop.Approval{Yes: true}})
		c.Check = func(t testing.TB, s *shop.Shop) {
			charged, reserved := s.Sum()
			assert.Equal(t, [2]int{20, 20}, [2]int{charged, reserved}, "each effect once")
		}
		assert.GreaterOrEqual(t, durabletest.CrashEverywhere(t, c), 8)
	})
}

func TestARefusedOrderIsUndoneAfterACrashAtEachWrite(t *testing.T) {
	for _, signals := range [][]durabletest.Signal{
		{{Name: "approval", Value: shop.Approval{}}},
		nil, // the order times out after three days
	} {
		synctest.Test(t, func(t *testing.T) {
			c := order(signals...)
			c.Check = func(t testing.TB, s *shop.Shop) {
				charged, reserved := s.Sum()
				assert.Equal(t, [2]int{0, 0}, [2]int{charged, reserved})
			}
			assert.GreaterOrEqual(t, durabletest.CrashEverywhere(t, c), 8)
		})
	}
}

// Two engines run orders on a store that fails, repeats itself and misreports the time.
func TestOrdersEndOnceOnAFaultyStore(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { faultyOrders(t, seed) })
		})
	}
}

// approve sends signals until the store has answered. If the order has ended, it received a
// signal whose answer was lost.
func approve(t *testing.T, e *durable.Engine, id string) {
	t.Helper()
	send := func() error {
		return e.Signal(t.Context(), id, "approval", shop.Approval{Yes: true}, durable.SignalKey("yes"))
	}
	err := send()
	for lost := false; err != nil; err = send() {
		if lost && errors.Is(err, durable.ErrEnded) {
			return
		}
		require.ErrorIs(t, err, durabletest.ErrFault)
		lost = true
	}
}

func faultyOrders(t *testing.T, seed uint64) {
	const orders = 25
	ctx := t.Context()
	memory, s := durable.NewMemory(), shop.New()
	var engines []*durable.Engine
	var served []*durable.Served[shop.Request, shop.Receipt]
	// An instance whose taking has failed is hidden for a lease, and until then each poll costs
	// time, though not of the bubble.
	opts := []durable.Option{durable.Poll(100 * time.Millisecond), durable.Lease(10 * time.Second), durable.Log(slog.New(slog.DiscardHandler))}
	for i := range uint64(2) {
		store := durabletest.Faulty(memory, 2*seed+i, 6)
		e, err := durable.Open(ctx, store, opts...)
		for err != nil {
			require.ErrorIs(t, err, durabletest.ErrFault)
			e, err = durable.Open(ctx, store, opts...)
		}
		engines = append(engines, e)
		served = append(served, durable.Serve(e, shop.OrderDurable, s))
	}
	for i := range orders {
		id := fmt.Sprint("order-", i)
		request := shop.Request{Items: []string{"cup"}, Card: id}
		_, err := served[i%2].Start(ctx, id, request)
		for err != nil {
			require.ErrorIs(t, err, durabletest.ErrFault)
			_, err = served[i%2].Start(ctx, id, request)
		}
		approve(t, engines[i%2], id)
	}
	for i := range orders {
		id := fmt.Sprint("order-", i)
		receipt, err := served[(i+1)%2].Handle(id).Wait(ctx)
		for err != nil { // the answer was lost
			require.ErrorIs(t, err, durabletest.ErrFault)
			receipt, err = served[(i+1)%2].Handle(id).Wait(ctx)
		}
		assert.Equal(t, shop.Receipt{Charge: id, Price: 10}, receipt)
	}
	for _, e := range engines {
		_ = e.Shutdown(ctx) // giving up the lease may fail
	}
	charged, reserved := s.Sum()
	assert.Equal(t, [2]int{10 * orders, 10 * orders}, [2]int{charged, reserved}, "each effect once for each key")
	time.Sleep(time.Second) // of the bubble: lets goroutines of engines end
}
