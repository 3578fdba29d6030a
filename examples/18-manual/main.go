// A test of the case that B comes before A spells out that order: on a scheduler that the test
// steps, nothing runs and no time passes by itself.
package main

import (
	"context"
	"fmt"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/manual"
)

// withdraw takes an amount from a balance in two steps, like a careless program: the value that it
// has read may be stale when it writes.
func withdraw(ctx context.Context, balance *int, amount int) *job.Job[job.Void] {
	read := job.Run(ctx, func(context.Context) (int, error) { return *balance, nil })
	return job.Then(ctx, read, func(_ context.Context, was int) (job.Void, error) {
		*balance = was - amount
		return job.Void{}, nil
	})
}

// try runs two withdrawals in an order: each number is the position in the queue
// of the step that comes next.
func try(name string, steps ...int) {
	s := manual.New()
	ctx := schedulers.With(context.Background(), s)
	balance := 100
	a, b := withdraw(ctx, &balance, 10), withdraw(ctx, &balance, 1)
	for _, i := range steps {
		s.StepAt(i)
	}
	fmt.Printf("%s: %v, %v, balance %d\n", name, a.Status(), b.Status(), balance)
}

func main() {
	// At first two steps are queued: A reads, B reads. A step that has read queues the
	// one that writes, at the end.
	try("A reads, A writes, B reads, B writes", 0, 1, 0, 0)
	try("A reads, B reads, A writes, B writes", 0, 0, 0, 0)
	try("A reads, B reads, B writes, A writes", 0, 0, 1, 0)

	s := manual.New()
	ctx := schedulers.With(context.Background(), s)
	sleep := job.SleepAsync(ctx, 24*time.Hour)
	fmt.Println("after", s.Now(), "the sleeper is", sleep.Status())
	s.Advance(24 * time.Hour)
	fmt.Println("after", s.Now(), "the sleeper is", sleep.Status())
}
