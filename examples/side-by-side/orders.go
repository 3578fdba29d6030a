package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/job"
)

// An order is reserved, paid and shipped, by slow services. If the payment fails, the reservation
// is released. All orders are in progress at once.

var errNoMoney = errors.New("the card is refused")

// tally counts the outcomes of the orders.
type tally struct{ reserved, shipped, released atomic.Int64 }

// state is the tally as one number.
func (b *tally) state() int {
	return int(b.reserved.Load()*1_000_000 + b.shipped.Load()*1000 + b.released.Load())
}

// charge is the bank's answer.
func charge(order int) error {
	if order%10 == 9 {
		return errNoMoney
	}
	return nil
}

const service = 30 * time.Millisecond

func ordersWithGoroutines(_ context.Context, n int) (int, error) {
	var b tally
	var all sync.WaitGroup
	for order := range n {
		all.Go(func() {
			time.Sleep(service)
			b.reserved.Add(1)
			time.Sleep(service)
			if err := charge(order); err != nil {
				time.Sleep(service)
				b.released.Add(1)
				return
			}
			time.Sleep(service)
			b.shipped.Add(1)
		})
	}
	all.Wait()
	return b.state(), nil
}

//movenext:async
func ordersWithMachines(ctx context.Context, n int) (int, error) {
	var b tally
	err := job.InScope(ctx, func(_ context.Context, s *job.Scope) error {
		for order := range n {
			s.Go(func(ctx context.Context) error { return serve(ctx, &b, order) })
		}
		return nil
	})
	return b.state(), err
}

//movenext:async
func serve(ctx context.Context, b *tally, order int) error {
	if err := job.Sleep(ctx, service); err != nil {
		return err
	}
	b.reserved.Add(1)
	if err := job.Sleep(ctx, service); err != nil {
		return err
	}
	refused := charge(order)
	if err := job.Sleep(ctx, service); err != nil {
		return err
	}
	if refused != nil {
		b.released.Add(1)
	} else {
		b.shipped.Add(1)
	}
	return nil
}
