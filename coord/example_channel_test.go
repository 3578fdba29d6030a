package coord_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/movenext/movenext/coord"
)

func ExampleChannel() {
	ctx := context.Background()
	c := coord.NewBounded[string](1, coord.WaitForRoom)
	_ = c.Send(ctx, "a")
	b := c.SendAsync(ctx, "b") // no room
	fmt.Println(b.IsCompleted())
	v, _ := c.Receive(ctx)
	fmt.Println(v, b.IsCompleted())
	c.Close()
	for v, err := range c.All(ctx) {
		fmt.Println(v, err)
	}
	fmt.Println(c.Send(ctx, "c"))
	// Output:
	// false
	// a true
	// b <nil>
	// coord: closed
}

func ExampleNewBounded() {
	latest := coord.NewBounded(2, coord.DropOldest, coord.Dropped(func(v int) { fmt.Println("dropped", v) }))
	for v := range 4 {
		_ = latest.TrySend(v)
	}
	a, _ := latest.TryReceive()
	b, _ := latest.TryReceive()
	_, err := latest.TryReceive()
	fmt.Println(a, b, err)
	// Output:
	// dropped 0
	// dropped 1
	// 2 3 coord: empty
}

func ExampleNewUnbounded() {
	c := coord.NewUnbounded[int]()
	for v := range 1000 {
		_ = c.TrySend(v)
	}
	fmt.Println(c.Len())
	// Output: 1000
}

func ExampleNewPriority() {
	type task struct {
		name   string
		urgent int64
	}
	c := coord.NewPriority(func(t task) int64 { return -t.urgent })
	for _, t := range []task{{"sweep", 1}, {"put out the fire", 9}, {"cook", 3}, {"wash up", 1}} {
		_ = c.TrySend(t)
	}
	c.Close()
	for t, err := range c.All(context.Background()) {
		fmt.Println(t.name, err)
	}
	// Output:
	// put out the fire <nil>
	// cook <nil>
	// sweep <nil>
	// wash up <nil>
}

func ExampleNewRendezvous() {
	ctx := context.Background()
	c := coord.NewRendezvous[string]()
	sent := c.SendAsync(ctx, "hello")
	fmt.Println(sent.IsCompleted(), c.Len())
	v, _ := c.Receive(ctx)
	fmt.Println(sent.IsCompleted(), v)
	// Output:
	// false 0
	// true hello
}

func ExampleBroadcast() {
	ctx := context.Background()
	news := coord.NewBroadcast[string](2, coord.DropOldest)
	quick, slow := news.Subscribe(), news.Subscribe()
	for _, headline := range []string{"one", "two", "three"} {
		_ = news.Send(ctx, headline)
		v, _ := quick.Receive(ctx)
		fmt.Println("quick:", v)
	}
	news.Close()
	for {
		v, err := slow.Receive(ctx)
		if errors.Is(err, coord.ErrClosed) {
			break
		}
		fmt.Println("slow:", v, err)
	}
	// Output:
	// quick: one
	// quick: two
	// quick: three
	// slow:  coord: missed 1 element
	// slow: two <nil>
	// slow: three <nil>
}

func ExampleChannel_AllAsync() {
	ctx := context.Background()
	c := coord.NewUnbounded[string]()
	fmt.Println(c.TrySend("a"), c.TrySend("b"))
	c.Close()
	for v, err := range c.AllAsync(ctx).All() {
		fmt.Println(v, err)
	}
	// Output:
	// <nil> <nil>
	// a <nil>
	// b <nil>
}

// Versions that an observer was too slow for are skipped; the last one never is.
func ExampleWatch() {
	ctx := context.Background()
	percent := coord.NewWatch(0)
	bar := percent.Observe()
	_ = percent.Set(10)
	_ = percent.Set(40)
	fmt.Println(bar.Next(ctx))
	_ = percent.Set(100)
	percent.Close()
	fmt.Println(bar.Next(ctx))
	_, err := bar.Next(ctx)
	fmt.Println(errors.Is(err, coord.ErrClosed), percent.Value())
	// Output:
	// 40 <nil>
	// 100 <nil>
	// true 100
}

// One object for all results of a device. A call that would read a round twice returns
// an error.
func ExampleReusable() {
	ctx := context.Background()
	var results coord.Reusable[string]
	for _, v := range []string{"first", "second"} {
		round, _ := results.Begin()
		_ = results.Set(round, v, nil) // usually by the device's callback
		fmt.Println(results.Get(ctx, round))
		_, err := results.Get(ctx, round)
		fmt.Println(err)
	}
	// Output:
	// first <nil>
	// coord: misused round: cannot read round 1: it is over
	// second <nil>
	// coord: misused round: cannot read round 2: it is over
}
