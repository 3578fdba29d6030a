// What a select statement does with Go's channels, for machines: the first of two
// channels, a timeout, a default.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

// withTimeout receives an order, or gives up.
//
//movenext:async
func withTimeout(ctx context.Context, orders *coord.Channel[string], patience time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return orders.Receive(ctx)
}

// either receives from the channel that has an order first. If both have one at the same
// moment, it returns both: neither order is lost.
//
//movenext:async
func either(ctx context.Context, a, b *coord.Channel[string]) (orders []string, err error) {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	fromA, fromB := a.ReceiveAsync(waiting), b.ReceiveAsync(waiting)
	if _, err := job.WhenAny(fromA, fromB).Await(); err != nil {
		return nil, err
	}
	cancel() // the other one leaves its queue, or has received meanwhile
	for _, from := range []*job.Job[string]{fromA, fromB} {
		switch order, err := from.Await(); {
		case err == nil:
			orders = append(orders, order)
		case !errors.Is(err, context.Canceled):
			return orders, err // the channel is closed
		}
	}
	return orders, ctx.Err()
}

// orNothing is a select with a default.
func orNothing(orders *coord.Channel[string]) string {
	order, err := orders.TryReceive()
	if err != nil {
		return "nothing"
	}
	return order
}

func main() {
	ctx := context.Background()
	a, b := coord.NewUnbounded[string](), coord.NewUnbounded[string]()

	_, err := withTimeoutAsync(ctx, a, time.Millisecond).Wait(ctx)
	fmt.Println("timeout:", errors.Is(err, context.DeadlineExceeded))

	first := eitherAsync(ctx, a, b)
	fmt.Println("sent:", b.TrySend("tea"))
	orders, err := first.Wait(ctx)
	fmt.Println("either:", orders, err)
	fmt.Println("a still has its next order:", a.TrySend("milk"), orNothing(a))
	fmt.Println("default:", orNothing(a))
}
