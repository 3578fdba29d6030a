// Six jobs on two dedicated OS threads. The operating system's thread IDs show
// that there are exactly two, and that no other work of the program runs on them.
//
// The document behind it, step by step: docs/sources/job-model.md.
package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
)

// ran records where a job has run.
type ran struct{ worker, thread int }

func main() {
	jobs, err := sixJobs(context.Background())
	if err != nil {
		fmt.Println(err)
	}
	for i, r := range jobs {
		fmt.Printf("job %d: worker %d, OS thread %d\n", i+1, r.worker, r.thread)
	}
	fmt.Println("workers:", distinct(jobs, func(r ran) int { return r.worker }))
	fmt.Println("OS threads:", distinct(jobs, func(r ran) int { return r.thread }))
}

// sixJobs runs six jobs on two threads.
func sixJobs(ctx context.Context) ([]ran, error) {
	threads := dedicated.New(2)
	ctx = schedulers.With(ctx, threads)

	// The first two jobs wait for each other, so that each thread is sure to get one.
	var met sync.WaitGroup
	met.Add(2)
	meet := func() { met.Done(); met.Wait() }

	var jobs []*job.Job[ran]
	for i := range 6 {
		jobs = append(jobs, job.Run(ctx, func(ctx context.Context) (ran, error) {
			if i < 2 {
				meet()
			}
			return ran{schedulers.WorkerFrom(ctx).ID(), dedicated.ThreadID()}, nil
		}))
	}
	all, err := job.WhenAll(jobs...).Wait(ctx)
	if err != nil {
		return nil, err
	}
	return all, threads.Shutdown(ctx)
}

func distinct(jobs []ran, by func(ran) int) int {
	seen := map[int]bool{}
	for _, r := range jobs {
		seen[by(r)] = true
	}
	return len(seen)
}
