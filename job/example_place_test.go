package job_test

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
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
