package natsstore_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/durabletest"
	"github.com/movenext/movenext/durable/internal/shop"
	"github.com/movenext/movenext/durable/natsstore/natstest"
	"github.com/movenext/movenext/durable/stores"
)

// lease is the lease of the engines in these tests.
const lease = time.Second

// patient repeats do until the store causes no fault.
func patient(t *testing.T, do func() error) error {
	t.Helper()
	for {
		err := do()
		if !errors.Is(err, durabletest.ErrFault) {
			return err
		}
	}
}

func engine(t *testing.T, s stores.Store) (e *durable.Engine) {
	t.Helper()
	require.NoError(t, patient(t, func() (err error) {
		e, err = durable.Open(t.Context(), s, durable.Poll(10*time.Millisecond), durable.Lease(lease), durable.Log(slog.New(slog.DiscardHandler)))
		return err
	}))
	return e
}

// TestOrdersEndOnceOnAFaultyStore runs two engines on separate stores that fail now and then,
// before or after the requested work.
func TestOrdersEndOnceOnAFaultyStore(t *testing.T) {
	c := natstest.New(t, 1)
	const orders = 25
	s := shop.New()
	var engines []*durable.Engine
	var served []*durable.Served[shop.Request, shop.Receipt]
	for i := range 2 {
		e := engine(t, durabletest.Faulty(connected(t, c.URL()), uint64(i), 6))
		defer func() { _ = e.Shutdown(context.Background()) }() // giving up the lease may fail
		engines, served = append(engines, e), append(served, durable.Serve(e, shop.OrderDurable, s))
	}
	for i := range orders {
		id := fmt.Sprint("order-", i)
		require.NoError(t, patient(t, func() error {
			_, err := served[i%2].Start(t.Context(), id, shop.Request{Items: []string{"cup"}, Card: id})
			return err
		}))
		err := patient(t, func() error {
			return engines[i%2].Signal(t.Context(), id, "approval", shop.Approval{Yes: true}, durable.SignalKey("yes"))
		})
		if !errors.Is(err, durable.ErrEnded) { // ended by a signal whose answer was lost
			require.NoError(t, err)
		}
	}
	for i := range orders {
		id := fmt.Sprint("order-", i)
		require.NoError(t, patient(t, func() error {
			receipt, err := served[(i+1)%2].Handle(id).Wait(t.Context())
			if err == nil {
				assert.Equal(t, shop.Receipt{Charge: id, Price: 10}, receipt)
			}
			return err
		}))
	}
	charged, reserved := s.Sum()
	assert.Equal(t, [2]int{10 * orders, 10 * orders}, [2]int{charged, reserved}, "each effect once for each key")
}

// TestAnotherWorkerContinuesAfterTheLease has a worker that vanishes silently during a step.
func TestAnotherWorkerContinuesAfterTheLease(t *testing.T) {
	c := natstest.New(t, 1)
	first, second := shop.New(), shop.New()
	reached, never := make(chan struct{}), make(chan struct{})
	first.Before = func(string) {
		close(reached)
		<-never
	}
	defer close(never)
	dies := engine(t, connected(t, c.URL()))
	h, err := durable.Serve(dies, shop.OrderDurable, first).Start(t.Context(), "a", shop.Request{Items: []string{"cup"}})
	require.NoError(t, err)
	<-reached
	require.NoError(t, h.Signal(t.Context(), "approval", shop.Approval{Yes: true}))
	lives := engine(t, connected(t, c.URL()))
	defer func() { assert.NoError(t, lives.Shutdown(context.Background())) }()
	served := durable.Serve(lives, shop.OrderDurable, second)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, dies.Shutdown(ended), context.Canceled)
	begin := time.Now()
	_, err = served.Handle("a").Wait(t.Context())
	require.NoError(t, err)
	took := time.Since(begin)
	assert.Less(t, took, lease+5*time.Second)
	t.Logf("continued and ended %v after the death, with a lease of %v", took, lease)
	assert.Equal(t, 1, second.Count("reserve"))
}

func TestAWorkerThatWakesUpAfterItsLeaseChangesNothing(t *testing.T) {
	c := natstest.New(t, 1)
	durabletest.TwoWorkers(t, connected(t, c.URL()), connected(t, c.URL()))
}

func TestTwoProgramsOfOneNameLeaveEachOtherAlone(t *testing.T) {
	c := natstest.New(t, 1)
	durabletest.TwoPrograms(t, connected(t, c.URL()), connected(t, c.URL()))
}
