// The equivalent of a select statement for machines: the first of several channels and jobs in a
// given order, a timeout, a default.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/simulation"
)

// serve takes orders until the shop is closed, the urgent ones first.
//
//movenext:async
func serve(ctx context.Context, urgent, normal *coord.Channel[string], closing *job.Job[job.Void]) error {
	for {
		var order string
		i, err := coord.Select(ctx,
			coord.OnReceive(urgent, &order),
			coord.OnReceive(normal, &order),
			coord.OnEnd(closing),
			coord.OnTimeout(time.Minute),
		)
		switch {
		case errors.Is(err, coord.ErrClosed) && i == 0:
			urgent = nil // this case is never ready from now on
		case err != nil:
			return err
		case i == 2:
			fmt.Println("the shop is closed")
			return nil
		case i == 3:
			fmt.Println("a minute without an order")
		default:
			fmt.Println("serves", order)
		}
	}
}

// orNothing is a select with a default: it never waits.
//
//movenext:async
func orNothing(ctx context.Context, a, b *coord.Channel[string]) (string, error) {
	order := "nothing"
	_, err := coord.Select(ctx, coord.OnReceive(a, &order), coord.OnReceive(b, &order), coord.Default())
	return order, err
}

// bake uses an oven, or passes the order on, whatever is possible first.
//
//movenext:async
func bake(ctx context.Context, ovens *coord.Semaphore, neighbour *coord.Channel[string], order string, patience time.Duration) (string, error) {
	i, err := coord.Select(ctx,
		coord.OnAcquire(ovens, 1),
		coord.OnSend(neighbour, order),
		coord.OnTimeout(patience),
	)
	switch {
	case err != nil:
		return "", err
	case i == 0:
		defer ovens.Release(1)
		return order + " from our oven", nil
	case i == 1:
		return order + " from the neighbour", nil
	}
	return "no " + order, nil
}

// withTimeout needs no select: the context bounds the one wait.
//
//movenext:async
func withTimeout(ctx context.Context, orders *coord.Channel[string], patience time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return orders.Receive(ctx)
}

// shop runs a day in the shop.
//
//movenext:async
func shop(ctx context.Context) error {
	urgent, normal := coord.NewUnbounded[string](), coord.NewUnbounded[string]()
	closing := job.SleepAsync(ctx, 150*time.Second)
	for _, err := range []error{normal.TrySend("tea"), normal.TrySend("milk"), urgent.TrySend("coffee")} {
		if err != nil {
			return err
		}
	}
	urgent.Close() // its elements are still served
	if err := serve(ctx, urgent, normal, closing); err != nil {
		return err
	}
	order, err := orNothing(ctx, urgent, coord.NewUnbounded[string]())
	fmt.Println("without waiting:", order, "- closed:", errors.Is(err, coord.ErrClosed))
	order, err = orNothing(ctx, nil, normal)
	fmt.Println("without waiting:", order, err)

	ovens, neighbour := coord.NewSemaphore(1), coord.NewRendezvous[string]()
	fmt.Println(bake(ctx, ovens, neighbour, "bread", time.Minute))
	ovens.TryAcquire(1)
	taken := neighbour.ReceiveAsync(ctx)
	fmt.Println(bake(ctx, ovens, neighbour, "rolls", time.Minute))
	fmt.Println(bake(ctx, ovens, neighbour, "cake", time.Second))
	return taken.Err()
}

func main() {
	_, err := withTimeoutAsync(context.Background(), coord.NewUnbounded[string](), time.Millisecond).Wait(context.Background())
	fmt.Println("one channel, a timeout:", errors.Is(err, context.DeadlineExceeded))

	sim := simulation.New(1)
	day := shopAsync(schedulers.With(context.Background(), sim))
	err = errors.Join(sim.Run(), day.Err())
	fmt.Println("the day took", sim.Now(), err)
}
