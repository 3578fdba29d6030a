// Two chains of continuations at once. Each job of a chain is submitted to the scheduler when its
// predecessor has ended, so the delays alone decide how the chains interleave.
//
// The document behind it, step by step: docs/sources/job-model.md.
package main

import (
	"context"
	"fmt"
	"time"

	"github.com/movenext/movenext/job"
)

// say returns a job's function that takes a while and then prints its name.
func say(name string, takes time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := job.Sleep(ctx, takes); err != nil {
			return err
		}
		fmt.Println(name)
		return nil
	}
}

// then continues with the next function of a chain.
func then(ctx context.Context, after *job.Job[job.Void], next func(context.Context) error) *job.Job[job.Void] {
	return job.ContinueWith(ctx, after, func(ctx context.Context, _ *job.Job[job.Void]) (job.Void, error) {
		return job.Void{}, next(ctx)
	})
}

func main() {
	ctx := context.Background()

	foo1 := job.Go(ctx, say("Foo1", 1000*time.Millisecond))
	bar1 := then(ctx, foo1, say("Bar1", 100*time.Millisecond))
	baz1 := then(ctx, bar1, say("Baz1", 100*time.Millisecond))

	foo2 := job.Go(ctx, say("Foo2", 100*time.Millisecond))
	bar2 := then(ctx, foo2, say("Bar2", 10*time.Millisecond))
	baz2 := then(ctx, bar2, say("Baz2", 10*time.Millisecond))

	if _, err := job.WhenAll(baz1, baz2).Wait(ctx); err != nil {
		fmt.Println(err)
	}
}
