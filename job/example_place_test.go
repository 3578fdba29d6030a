package job_test

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

func ExampleYield() {
	job.Yield() // waits for a turn of the default scheduler
	fmt.Println("it is our turn again")
	// Output: it is our turn again
}

func ExampleYieldAsync() {
	_, err := job.YieldAsync().Await()
	fmt.Println(err)
	// Output: <nil>
}

func ExampleSwitchTo() {
	p := pool.New()
	fmt.Println(job.SwitchTo(context.Background(), p), p.Metrics().Submitted)
	_ = p.Shutdown(context.Background())
	fmt.Println(job.SwitchTo(context.Background(), p))
	// Output:
	// <nil> 1
	// job: not accepted by its scheduler: schedulers: scheduler is shut down
}

func ExampleSwitchToAsync() {
	p := pool.New()
	_, err := job.SwitchToAsync(context.Background(), p).Await()
	fmt.Println(err)
	// Output: <nil>
}

// Functions that block a thread have their own lane, with a limit and metrics.
func ExampleSetBlockingLimit() {
	before := job.SetBlockingLimit(64)
	defer job.SetBlockingLimit(before)
	job.OnBlockingFull(func(m schedulers.Metrics) { fmt.Println("wait for a place:", m.Queued) })
	defer job.OnBlockingFull(nil)
	n, err := job.Blocking(context.Background(), func(context.Context) (int, error) { return 7, nil }).Wait(context.Background())
	fmt.Println(n, err, job.BlockingMetrics().Queued)
	// Output: 7 <nil> 0
}

func ExampleBlockingMetrics() {
	_, _ = job.Blocking(context.Background(), func(context.Context) (int, error) { return 7, nil }).Await()
	fmt.Println(job.BlockingMetrics().Submitted > 0)
	// Output: true
}

func ExampleOnBlockingFull() {
	defer job.SetBlockingLimit(job.SetBlockingLimit(1))
	job.OnBlockingFull(func(m schedulers.Metrics) { fmt.Println("waiting:", m.Queued) })
	defer job.OnBlockingFull(nil)
	gate := make(chan struct{})
	hold := func(context.Context) (int, error) { <-gate; return 7, nil }
	first := job.Blocking(context.Background(), hold)
	second := job.Blocking(context.Background(), hold)
	close(gate)
	_, _ = first.Await()
	fmt.Println(second.Await())
	// Output:
	// waiting: 1
	// 7 <nil>
}
