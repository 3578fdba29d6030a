package coord_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/movenext/movenext/coord"
)

func ExampleInTurnAsync() {
	ctx := context.Background()
	var accounts coord.Serial[string]
	balance := 0
	deposit := func(amount int) func(context.Context) (int, error) {
		return func(context.Context) (int, error) { balance += amount; return balance, nil }
	}
	first := coord.InTurnAsync(ctx, &accounts, "Ann", deposit(30))
	second := coord.InTurnAsync(ctx, &accounts, "Ann", deposit(12))
	fmt.Println(second.Wait(ctx))
	fmt.Println(first.Wait(ctx))
	// Output:
	// 42 <nil>
	// 30 <nil>
}

func ExampleMissedError() {
	news := coord.NewBroadcast[string](1, coord.DropOldest)
	reader := news.Subscribe()
	defer reader.Close()
	_ = news.TrySend("old")
	_ = news.TrySend("new")
	_, err := reader.TryReceive()
	var missed *coord.MissedError
	fmt.Println(errors.As(err, &missed), err)
	fmt.Println(reader.TryReceive())
	// Output:
	// true coord: missed 1 element
	// new <nil>
}

func ExampleFullMode() {
	for _, mode := range []coord.FullMode{coord.WaitForRoom, coord.DropNewest, coord.DropOldest} {
		c := coord.NewBounded[int](1, mode)
		_ = c.TrySend(1)
		err := c.TrySend(2)
		v, _ := c.TryReceive()
		fmt.Println(mode, v, err)
	}
	// Output:
	// WaitForRoom 1 coord: full
	// DropNewest 1 <nil>
	// DropOldest 2 <nil>
}

// Ten requests in flight, three of one tenant: a tenant with many requests delays the
// others by one.
func ExampleLimiter() {
	requests := coord.NewLimiter[string](10, coord.PerKey(3), coord.QueueLimit(1000))
	ctx := context.Background()
	if err := requests.Acquire(ctx, "Ann"); err != nil {
		fmt.Println(err)
		return
	}
	defer requests.Release("Ann")
	m := requests.Metrics()
	fmt.Println(m.InFlight, "in flight,", m.Waiting, "waiting")
	// Output: 1 in flight, 0 waiting
}

func ExampleLimiter_TryAcquire() {
	l := coord.NewLimiter[string](10, coord.PerKey(1))
	fmt.Println(l.TryAcquire("Ann"), l.TryAcquire("Ann"), l.TryAcquire("Bob"))
	// Output: true false true
}
