package pool_test

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// With one worker, jobs from outside run in order of arrival. The jobs that a job
// starts run after it, the newest first.
func Example() {
	p := pool.New(pool.Workers(1, 1))
	ctx := schedulers.With(context.Background(), p)

	say := func(what string) func(context.Context) error {
		return func(context.Context) error { fmt.Println(what); return nil }
	}
	gate := make(chan struct{})
	outer := job.Go(ctx, func(ctx context.Context) error {
		<-gate
		job.Go(ctx, say("nested, first"))
		job.Go(ctx, say("nested, second"))
		return nil
	})
	last := job.Go(ctx, say("from outside"))
	close(gate)
	if _, err := job.WhenAll(outer, last).Wait(ctx); err != nil {
		fmt.Println(err)
	}
	fmt.Println(p.Shutdown(context.Background()))
	// Output:
	// nested, second
	// nested, first
	// from outside
	// <nil>
}

// If throughput grew with each worker, a pool would grow to its upper bound.
func ExampleReplay() {
	next := pool.Replay(2, 10)
	workers := 2
	for range 500 {
		workers = next(pool.Sample{Workers: workers, Completed: 100 * workers, Elapsed: pool.ClimbingInterval})
	}
	fmt.Println(workers)
	// Output: 10
}

// A wait inside a job runs the awaited job in place, so one worker is enough.
func ExamplePool_MayRunInPlace() {
	p := pool.New(pool.Workers(1, 1))
	ctx := schedulers.With(context.Background(), p)

	sum := job.Run(ctx, func(ctx context.Context) (int, error) {
		inner := job.Run(ctx, func(context.Context) (int, error) { return 20, nil })
		v, err := inner.Wait(ctx)
		return v + 1, err
	})
	fmt.Println(sum.Wait(context.Background()))
	fmt.Println(p.Shutdown(context.Background()))
	// Output:
	// 21 <nil>
	// <nil>
}
