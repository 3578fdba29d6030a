// A job that starts its successor, which starts its successor, and so on, would have a
// processor for itself forever: the job that it starts goes into the processor's own
// queue, which comes before the queue of work from outside. So every 61st time the
// outside queue comes first. The trace shows when.
package main

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/workstealing"
)

func main() {
	const steps = 600
	fair := 0 // how often the outside queue came first; only the one running worker writes it
	s := workstealing.New(workstealing.Processors(1), workstealing.Patience(0), workstealing.Trace(func(e workstealing.Event) {
		if e.Decision == workstealing.TookGlobalFirst {
			fair++
		}
	}))
	ctx := schedulers.With(context.Background(), s)

	ran := 0
	done := make(chan struct{})
	var step func(context.Context) error
	step = func(ctx context.Context) error {
		if ran++; ran == steps {
			close(done)
			return nil
		}
		_ = job.Go(ctx, step) // feeds itself
		return nil
	}
	begun, open := make(chan struct{}), make(chan struct{}) // hold it until all is queued
	_ = job.Go(ctx, func(ctx context.Context) error {
		close(begun)
		<-open
		return step(ctx)
	})
	<-begun
	before := make([]int, 3)
	for i := range before {
		_ = job.Go(ctx, func(context.Context) error { before[i] = ran; return nil })
	}
	close(open)
	<-done
	if err := s.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
	fmt.Println("steps of the job that feeds itself:", ran)
	for i, n := range before {
		fmt.Printf("job %d from outside had to wait for no more than %d of them: %t\n", i+1, 61*(i+1), n <= 61*(i+1))
	}
	fmt.Println("the queue from outside came first:", fair, "times")
}
