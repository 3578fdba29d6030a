// Which code runs on a worker of the pool? A job does. A long-running job, a dedicated thread and
// main do not. The functions of parallel.Invoke and the bodies of parallel.For run where their
// caller runs, and on workers that help: a caller outside the pool runs some of them itself; if
// the caller is a job, workers run all of them.
//
// The document behind it, step by step: docs/sources/dotnet.md.
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

// count counts the calls on workers of the pool, and the others.
type count struct{ inside, outside atomic.Int64 }

func (c *count) body(ctx context.Context) error {
	if pool.IsPoolWorker(ctx) {
		c.inside.Add(1)
	} else {
		c.outside.Add(1)
	}
	return nil
}

func (c *count) show(what string, err error) {
	fmt.Printf("%-26s %d inside, %d outside, %v\n", what, c.inside.Swap(0), c.outside.Swap(0), err)
}

func main() {
	workers, thread := pool.New(pool.Workers(2, 2)), dedicated.New(1)
	ctx := schedulers.With(context.Background(), workers)

	var c count
	// Two bodies that wait for each other: the caller has one, so a worker has the other.
	var met sync.WaitGroup
	met.Add(2)
	c.show("parallel.For in main:", parallel.For(ctx, 0, 2, func(ctx context.Context, _ int) error {
		met.Done()
		met.Wait()
		return c.body(ctx)
	}, parallel.Degree(2), parallel.Chunk(1)))

	c.show("parallel.Invoke in a job:", waited(job.Go(ctx, func(ctx context.Context) error {
		return parallel.Invoke(ctx, c.body, c.body, c.body)
	})))

	ask := func(ctx context.Context) (bool, error) { return pool.IsPoolWorker(ctx), nil }
	show := func(what string, j *job.Job[bool]) {
		inside, err := j.Wait(context.Background())
		fmt.Printf("%-26s %t, %v\n", what, inside, err)
	}
	show("a job:", job.Run(ctx, ask))
	show("a long-running job:", job.Run(ctx, ask, job.LongRunning()))
	show("a thread of one's own:", job.Run(ctx, ask, job.On(thread)))
	fmt.Printf("%-26s %t\n", "main:", pool.IsPoolWorker(ctx))
	fmt.Println("shut down:", workers.Shutdown(context.Background()), thread.Shutdown(context.Background()))
}

func waited(j *job.Job[job.Void]) error {
	_, err := j.Wait(context.Background())
	return err
}
