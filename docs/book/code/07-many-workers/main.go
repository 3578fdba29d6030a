// Two questions about many workers: in which order do the jobs run that a job
// starts, and how does an idle worker get some of them?
package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/workstealing"
)

func main() {
	fmt.Println("local queue:   ", order())
	fmt.Println("PreferFairness:", order(job.PreferFairness()))
	steal()
}

// order starts two jobs, a and b, which start two more each, on a pool of one worker.
func order(opts ...job.Option) (log []string) {
	one := pool.New(pool.Workers(1, 1), pool.AddAfter(0))
	ctx := schedulers.With(context.Background(), one)
	var group sync.WaitGroup
	group.Add(6)
	say := func(text string) { log = append(log, text); group.Done() }

	job.Go(ctx, func(ctx context.Context) error {
		for _, name := range []string{"a", "b"} {
			job.Go(ctx, func(ctx context.Context) error {
				for _, child := range []string{"1", "2"} {
					job.Go(ctx, func(context.Context) error { say(name + child); return nil }, opts...)
				}
				say(name)
				return nil
			})
		}
		return nil
	})
	group.Wait()
	if err := one.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
	return log
}

// steal puts six jobs into the queue of a worker that is then kept busy.
func steal() {
	s := workstealing.New(workstealing.Processors(2))
	ctx := schedulers.With(context.Background(), s)

	var group sync.WaitGroup
	group.Add(6)
	root := job.Run(ctx, func(ctx context.Context) (elsewhere int, err error) {
		here := schedulers.WorkerFrom(ctx).ID()
		var others atomic.Int64
		for range 6 {
			job.Go(ctx, func(ctx context.Context) error {
				if schedulers.WorkerFrom(ctx).ID() != here {
					others.Add(1)
				}
				group.Done()
				return nil
			})
		}
		group.Wait() // the scheduler does not know of this wait: the worker is lost
		return int(others.Load()), nil
	})
	fmt.Print("run by another worker: ")
	fmt.Println(root.Wait(context.Background()))
	if err := s.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
}
