// Which code runs on a worker of the pool? The functions of parallel.Invoke and the
// bodies of parallel.For: some of them, since the caller takes part on its own
// goroutine, and only its helpers are workers. A job: always. A long-running job, a
// thread of one's own, and main: never.
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

// pair counts where two bodies run that wait for each other: two goroutines have one
// each.
type pair struct {
	met     sync.WaitGroup
	workers atomic.Int64
}

func (p *pair) body(ctx context.Context) error {
	p.met.Done()
	p.met.Wait()
	if pool.IsPoolWorker(ctx) {
		p.workers.Add(1)
	}
	return nil
}

func (p *pair) show(what string, run func(body func(context.Context) error) error) {
	p.met.Add(2)
	err := run(p.body)
	fmt.Printf("%-22s %d of 2 on workers of the pool, %v\n", what, p.workers.Swap(0), err)
}

func main() {
	workers, thread := pool.New(pool.Workers(2, 2)), dedicated.New(1)
	ctx := schedulers.With(context.Background(), workers)

	var p pair
	p.show("parallel.Invoke:", func(body func(context.Context) error) error {
		return parallel.Invoke(ctx, body, body)
	})
	p.show("parallel.For:", func(body func(context.Context) error) error {
		return parallel.For(ctx, 0, 2, func(ctx context.Context, _ int) error { return body(ctx) },
			parallel.Degree(2), parallel.Chunk(1))
	})

	ask := func(ctx context.Context) (bool, error) { return pool.IsPoolWorker(ctx), nil }
	show := func(what string, j *job.Job[bool]) {
		inside, err := j.Wait(context.Background())
		fmt.Printf("%-22s %t, %v\n", what, inside, err)
	}
	show("a job:", job.Run(ctx, ask))
	show("a long-running job:", job.Run(ctx, ask, job.LongRunning()))
	show("a thread of one's own:", job.Run(ctx, ask, job.On(thread)))
	fmt.Printf("%-22s %t\n", "main:", pool.IsPoolWorker(ctx))
	fmt.Println(workers.Shutdown(context.Background()), thread.Shutdown(context.Background()))
}
