// Which code runs on a worker of the pool: jobs do. The caller of a parallel loop
// takes part in the loop on its own goroutine, and only its helpers are workers.
// A long-running job, a dedicated thread and main are outside.
package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/parallel"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/pool"
)

func main() {
	workers, thread := pool.New(pool.Workers(2, 2)), dedicated.New(1)
	ctx := schedulers.With(context.Background(), workers)

	ask := func(ctx context.Context) (bool, error) { return pool.IsPoolWorker(ctx), nil }
	show := func(who string, j *job.Job[bool]) {
		inside, err := j.Wait(context.Background())
		fmt.Println(who, inside, err)
	}
	fmt.Println("main:", pool.IsPoolWorker(ctx))
	show("a job:", job.Run(ctx, ask))
	show("a long-running job:", job.Run(ctx, ask, job.LongRunning()))
	show("a thread of one's own:", job.Run(ctx, ask, job.On(thread)))

	// Two bodies that wait for each other: the caller has one, so a worker has
	// the other.
	var met sync.WaitGroup
	met.Add(2)
	var onWorkers atomic.Int64
	body := func(ctx context.Context) error {
		met.Done()
		met.Wait()
		if pool.IsPoolWorker(ctx) {
			onWorkers.Add(1)
		}
		return nil
	}
	err := parallel.For(ctx, 0, 2, func(ctx context.Context, _ int) error { return body(ctx) }, parallel.Degree(2), parallel.Chunk(1))
	fmt.Println("a loop of two that meet, on workers:", onWorkers.Load(), err)

	onWorkers.Store(0)
	met.Add(2)
	err = parallel.ForEach(ctx, []func(context.Context) error{body, body}, func(ctx context.Context, f func(context.Context) error) error {
		return f(ctx)
	}, parallel.Degree(2), parallel.Chunk(1))
	fmt.Println("two functions that meet, on workers:", onWorkers.Load(), err)
	fmt.Println(workers.Shutdown(context.Background()), thread.Shutdown(context.Background()))
}
