// State without locks, on a pool of eight workers. An account is a strand: its jobs run one after
// another, on any worker. A stock is a pair: readers run together, a writer alone. No worker is
// held while a job waits for its turn.
package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers/exclusive"
	"github.com/movenext/movenext/schedulers/pool"
)

func account(ctx context.Context, workers *pool.Pool) error {
	strand := exclusive.NewStrand(workers)
	balance := 0 // only ever touched on the strand
	var deposits []*job.Job[job.Void]
	for range 10_000 {
		deposits = append(deposits, job.Go(ctx, func(context.Context) error { balance++; return nil }, job.On(strand)))
	}
	_, err := job.WhenAll(deposits...).Wait(ctx)
	fmt.Println("balance after 10000 deposits:", balance)
	return err
}

func stock(ctx context.Context, workers *pool.Pool) error {
	pair := exclusive.New(workers, 0)
	apples := 3 // written on the exclusive side, read on the concurrent one

	var together sync.WaitGroup
	together.Add(2)
	read := func(context.Context) (int, error) {
		together.Done()
		together.Wait() // passes only if the other reader runs at the same time
		return apples, nil
	}
	first := job.Run(ctx, read, job.On(pair.Concurrent()))
	second := job.Run(ctx, read, job.On(pair.Concurrent()))
	write := job.Go(ctx, func(context.Context) error { apples = 5; return nil }, job.On(pair.Exclusive()))
	third := job.Run(ctx, func(context.Context) (int, error) { return apples, nil }, job.On(pair.Concurrent()))

	before, err := job.WhenAll(first, second).Wait(ctx)
	fmt.Println("two readers together, before the writer:", before, err)
	if _, err := write.Wait(ctx); err != nil {
		return err
	}
	after, err := third.Wait(ctx)
	fmt.Println("a reader that came after the writer:", after, err)
	return pair.Shutdown(ctx)
}

func main() {
	workers := pool.New(pool.Workers(8, 8))
	ctx := context.Background()
	fmt.Println("  the account:", account(ctx, workers))
	fmt.Println("  the stock:", stock(ctx, workers))
	fmt.Println("shut down:", workers.Shutdown(ctx))
}
