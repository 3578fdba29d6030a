package rate_test

import (
	"context"
	"fmt"
	"time"

	"github.com/movenext/movenext/coord/rate"
	"github.com/movenext/movenext/schedulers/simulation"
)

func ExampleLimiter_Allow() {
	l := rate.NewLimiter(1, 2) // one a second, two at once
	fmt.Println(l.Allow(), l.Allow(), l.Allow())
	// Output: true true false
}

func ExampleLimiter_Reserve() {
	l, now := rate.NewLimiter(rate.Every(time.Minute), 1), time.Now()
	l.ReserveN(now, 1)
	r := l.ReserveN(now, 1)
	fmt.Println(r.OK(), r.DelayFrom(now))
	r.CancelAt(now) // it will not happen after all
	fmt.Println(l.ReserveN(now, 1).DelayFrom(now))
	// Output:
	// true 1m0s
	// 1m0s
}

func ExampleLimiter_Wait() {
	l := rate.NewLimiter(rate.Every(time.Millisecond), 1)
	for range 3 {
		if err := l.Wait(context.Background()); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println("three events")
	// Output: three events
}

// Under virtual time an hour is over at once.
func ExampleOn() {
	s := simulation.New(1)
	l := rate.NewLimiter(rate.Every(time.Hour), 1, rate.On(s))
	ctx := s.Context(context.Background())
	l.WaitAsync(ctx)
	j := l.WaitAsync(ctx)
	fmt.Println(s.Run(), j.Status(), "after", s.Now())
	// Output: <nil> Completed after 1h0m0s
}
