// Three jobs on three workers of a pool, and the four statuses of a job that succeeds.
// A barrier holds the three jobs until all of them run, so no worker has two of them,
// and a fourth job stays in the queue for as long as they are held.
//
// The document behind it, step by step: docs/sources/job-model.md.
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

	var running sync.WaitGroup
	running.Add(3)
	open := make(chan struct{})
	body := func(ctx context.Context) (int, error) {
		running.Done()
		<-open // the barrier
		return schedulers.WorkerFrom(ctx).ID(), nil
	}

	var jobs []*job.Job[int]
	for range 3 {
		jobs = append(jobs, job.New(ctx, body))
	}
	fmt.Println("made:   ", statuses(jobs))
	for _, j := range jobs {
		if err := j.Start(); err != nil {
			fmt.Println(err)
		}
	}
	running.Wait()
	fmt.Println("started:", statuses(jobs))

	fourth := job.Run(ctx, func(context.Context) (int, error) { return 0, nil })
	fmt.Println("a fourth, with no worker left:", fourth.Status())

	close(open)
	ids, err := job.WhenAll(jobs...).Wait(ctx)
	fmt.Println("ended:  ", statuses(jobs), err)
	distinct := map[int]bool{}
	for _, id := range ids {
		distinct[id] = true
	}
	fmt.Println("workers that have run the three:", len(distinct))

	if err := workers.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
	fmt.Println("the fourth:", fourth.Status())
}

func statuses(jobs []*job.Job[int]) (all []job.Status) {
	for _, j := range jobs {
		all = append(all, j.Status())
	}
	return all
}
