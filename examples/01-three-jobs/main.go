// Three jobs on three workers of a pool. A barrier that opens when all three have
// arrived makes sure that no worker runs two of them.
package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

func main() {
	workers := pool.New(pool.Workers(3, 3))
	ctx := schedulers.With(context.Background(), workers)

	var arrived sync.WaitGroup
	arrived.Add(3)
	body := func(ctx context.Context) (int, error) {
		arrived.Done()
		arrived.Wait() // the barrier: all three run at this moment
		return schedulers.WorkerFrom(ctx).ID(), nil
	}

	// A job goes through its statuses one by one; two of them are certain to be visible
	// here.
	first := job.New(ctx, body)
	fmt.Println("made:   ", first.Status())
	if err := first.Start(); err != nil {
		fmt.Println(err)
	}
	second, third := job.Run(ctx, body), job.Run(ctx, body)

	ids, err := job.WhenAll(first, second, third).Wait(ctx)
	fmt.Println("ended:  ", first.Status(), err)
	distinct := map[int]bool{}
	for _, id := range ids {
		distinct[id] = true
	}
	fmt.Println("workers:", len(distinct))

	if err := workers.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
}
