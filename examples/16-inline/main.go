// The scheduler that runs a job on the goroutine that starts it, before Start
// returns. A job that a job starts is queued behind it, so a chain of a hundred
// thousand jobs needs no deep stack; only a wait for a job calls it from inside.
package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/inline"
)

// chain starts the next job of a chain of n, and reports the last one's stack depth.
func chain(ctx context.Context, n int, deepest *int) func(context.Context) error {
	return func(inside context.Context) error {
		if n == 1 {
			*deepest = runtime.Callers(0, make([]uintptr, 1000))
			return nil
		}
		// The worker's context says that the next job belongs behind this one.
		_ = job.Go(inside, chain(ctx, n-1, deepest))
		return nil
	}
}

func main() {
	s := inline.New()
	ctx := schedulers.With(context.Background(), s)

	fmt.Println("before")
	outer := job.Go(ctx, func(ctx context.Context) error {
		_ = job.Go(ctx, func(context.Context) error {
			fmt.Println("  the inner job, after the outer one")
			return nil
		})
		fmt.Println("  the outer job")
		return nil
	})
	fmt.Println("after:", outer.Status())

	waiting := job.Run(ctx, func(ctx context.Context) (int, error) {
		return job.Run(ctx, func(context.Context) (int, error) { return 42, nil }).Wait(ctx)
	})
	answer, err := waiting.Wait(ctx)
	fmt.Println("a job that waits for a job gets", answer, err)

	deepest := 0
	_ = job.Go(ctx, chain(ctx, 100_000, &deepest))
	fmt.Println("a hundred thousand jobs, and the last one stands on less than 50 calls:", deepest < 50)
	fmt.Println("shut down:", s.Shutdown(context.Background()))
}
