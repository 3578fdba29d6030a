// The order of nested jobs on one worker. Jobs that a job starts go to its worker's own
// queue, newest first; jobs that ask for fairness go to the global queue, oldest first.
// So four jobs that were started as t1, t2, t3, t4 run as t2, t1, t3, t4.
//
// The document behind it, step by step: docs/sources/dotnet.md.
package main

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

func say(what string) func(context.Context) error {
	return func(context.Context) error { fmt.Println(what); return nil }
}

func main() {
	workers := pool.New(pool.Workers(1, 1)) // with more of them the order would depend on chance
	ctx := schedulers.With(context.Background(), workers)

	outer := job.Go(ctx, func(ctx context.Context) error {
		_ = job.Go(ctx, say("t1: started first, in the worker's own queue"))
		_ = job.Go(ctx, say("t2: started second, in the worker's own queue"))
		_ = job.Go(ctx, say("t3: started third, in the global queue"), job.PreferFairness())
		_ = job.Go(ctx, say("t4: started fourth, in the global queue"), job.PreferFairness())
		fmt.Println("the outer job has started four")
		return nil
	})
	if _, err := outer.Wait(ctx); err != nil {
		fmt.Println(err)
	}
	if err := workers.Shutdown(context.Background()); err != nil { // runs what is queued
		fmt.Println(err)
	}
}
