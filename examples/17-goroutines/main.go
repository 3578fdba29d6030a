// A goroutine for each job, at once, as in any Go program. A hundred jobs that wait for each other
// can all wait at the same time, in any way; nothing is queued, and nothing is bounded.
package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/goroutine"
)

func main() {
	s := goroutine.New()
	ctx := schedulers.With(context.Background(), s)

	const n = 100
	var met sync.WaitGroup
	met.Add(n)
	var jobs []*job.Job[int]
	for range n {
		jobs = append(jobs, job.Run(ctx, func(context.Context) (int, error) {
			met.Done()
			met.Wait() // blocks until all are here: with fewer goroutines it would hang
			return 1, nil
		}))
	}
	ones, err := job.WhenAll(jobs...).Wait(context.Background())
	fmt.Println("jobs that met:", len(ones), err)
	fmt.Println("bounded by:", s.MaxConcurrency(), "(no bound)")
	fmt.Println("shut down:", s.Shutdown(context.Background()))
}
