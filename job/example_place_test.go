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

// What blocks a thread has a lane of its own, with a bound and numbers.
func ExampleSetBlockingLimit() {
	before := job.SetBlockingLimit(64)
	defer job.SetBlockingLimit(before)
	job.OnBlockingFull(func(m schedulers.Metrics) { fmt.Println("wait for a place:", m.Queued) })
	defer job.OnBlockingFull(nil)
	n, err := job.Blocking(context.Background(), func(context.Context) (int, error) { return 7, nil }).Wait(context.Background())
	fmt.Println(n, err, job.BlockingMetrics().Queued)
	// Output: 7 <nil> 0
}
