// Nested jobs: their order on one worker, and where they run on two. Jobs that a job starts go to
// its worker's own queue, newest first; jobs that ask for fairness go to the global queue, oldest
// first. So four jobs that were started as t1, t2, t3, t4 run as t2, t1, t3, t4. The order is not
// the purpose of PreferFairness: a job in the global queue is the first that a free worker takes,
// so independent children may run beside their parent's queue.
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
	order()
	apart()
}

// order starts the four on one worker: with more of them the order would depend on chance.
func order() {
	workers := pool.New(pool.Workers(1, 1))
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

// apart starts the four on one of two workers. The other one is kept until all of them are queued.
// Two jobs of a pair end only together, so the program would hang if they had the same worker.
func apart() {
	workers := pool.New(pool.Workers(2, 2))
	ctx := schedulers.With(context.Background(), workers)

	waits, queued := make(chan struct{}), make(chan struct{})
	other := job.Run(ctx, func(ctx context.Context) (int, error) {
		close(waits)
		<-queued
		return schedulers.WorkerFrom(ctx).ID(), nil
	})
	<-waits

	t2t3, t1t4 := make(chan struct{}), make(chan struct{})
	meet := func(pair chan struct{}) func(context.Context) (int, error) {
		return func(ctx context.Context) (int, error) {
			select { // the first of the two waits for the second
			case pair <- struct{}{}:
			case <-pair:
			}
			return schedulers.WorkerFrom(ctx).ID(), nil
		}
	}
	var four []*job.Job[int]
	outer := job.Run(ctx, func(ctx context.Context) (int, error) {
		four = append(four, job.Run(ctx, meet(t1t4)), job.Run(ctx, meet(t2t3)),
			job.Run(ctx, meet(t2t3), job.PreferFairness()), job.Run(ctx, meet(t1t4), job.PreferFairness()))
		close(queued)
		return schedulers.WorkerFrom(ctx).ID(), nil
	})
	ids, err := job.WhenAll(outer, other).Wait(context.Background())
	fmt.Println("with a second worker:", err)
	for i, j := range four {
		id, err := j.Wait(context.Background())
		fmt.Printf("t%d: on the worker of the outer job: %t, on the other one: %t, %v\n", i+1, id == ids[0], id == ids[1], err)
	}
	if err := workers.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
}
