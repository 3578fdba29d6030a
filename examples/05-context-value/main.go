// A value in the caller's context reaches the job, and the jobs that it starts in turn, on any
// scheduler. This needs no goroutine-local storage: each job receives the context that it was
// started with, to which the runtime adds the place where the job runs.
//
// The document behind it, step by step: docs/sources/job-model.md.
package main

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/pool"
)

type userKey struct{}

// look prints what a function sees in its context.
func look(ctx context.Context, where string) {
	on := "no scheduler"
	switch schedulers.FromContext(ctx).(type) {
	case *pool.Pool:
		on = "a pool"
	case *dedicated.Threads:
		on = "a dedicated thread"
	}
	fmt.Printf("%-12s user %v, runs on %s\n", where, ctx.Value(userKey{}), on)
}

func main() {
	workers, thread := pool.New(), dedicated.New(1)
	ctx := context.WithValue(context.Background(), userKey{}, "ann")
	look(ctx, "the caller:")

	outer := job.Run(ctx, func(ctx context.Context) (string, error) {
		look(ctx, "its job:")

		// A hop to another scheduler, and a value that hides the first one from here on.
		ctx = context.WithValue(ctx, userKey{}, "bob")
		inner := job.Run(ctx, func(ctx context.Context) (string, error) {
			look(ctx, "the job's:")
			return "done", nil
		}, job.On(thread))
		return inner.Wait(ctx)
	}, job.On(workers))
	result, err := outer.Wait(context.Background())
	fmt.Printf("the job's result: %s, %v\n", result, err)

	look(ctx, "the caller:") // a job cannot change its caller's context
	fmt.Println("shut down:", thread.Shutdown(context.Background()), workers.Shutdown(context.Background()))
}
