// A value in the caller's context reaches the job, and the jobs that it starts in turn,
// on any worker. No goroutine-local storage is behind this: the context is passed.
package main

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
)

type userKey struct{}

func main() {
	threads := dedicated.New(1)
	ctx := context.WithValue(context.Background(), userKey{}, "ann")

	outer := job.Run(ctx, func(ctx context.Context) (string, error) {
		fmt.Println("in the job:", ctx.Value(userKey{}))

		// A hop to another scheduler: the value comes along.
		inner := job.Run(ctx, func(ctx context.Context) (string, error) {
			fmt.Println("on a thread of its own:", ctx.Value(userKey{}))
			return "done", nil
		}, job.On(threads))
		return inner.Wait(ctx)
	})
	fmt.Println(outer.Wait(context.Background()))

	fmt.Println("scheduler in the outer context:", schedulers.FromContext(ctx))
	if err := threads.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
}
