// Work arrives faster than it is done. The queue holds two work items and is full, and the only
// worker is busy. A third work item is refused, or its submitter waits for space, or its submitter
// runs it.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// overflow returns a pool that is held and whose queue is full, and the function that
// releases it.
func overflow(full pool.WhenFull) (ctx context.Context, p *pool.Pool, letGo func()) {
	p = pool.New(pool.Workers(1, 1), pool.AddAfter(0), pool.QueueLimit(2, full))
	ctx = schedulers.With(context.Background(), p)
	begun, open := make(chan struct{}), make(chan struct{})
	_ = job.Go(ctx, func(context.Context) error { close(begun); <-open; return nil })
	<-begun
	for range 2 {
		_ = job.Go(ctx, func(context.Context) error { return nil })
	}
	return ctx, p, func() { close(open) }
}

// where is a job's function that returns where it runs.
func where(ctx context.Context) (string, error) {
	if pool.IsPoolWorker(ctx) {
		return "on a worker", nil
	}
	return "on the goroutine that has submitted it", nil
}

func main() {
	ctx, p, letGo := overflow(pool.Reject)
	third := job.Run(ctx, where)
	_, err := third.Wait(context.Background())
	fmt.Println("reject:     ", third.Status(), "- refused:", errors.Is(err, schedulers.ErrRejected))
	letGo()
	fmt.Println("  refused so far:", p.Metrics().Refused, "- shut down:", p.Shutdown(context.Background()))

	ctx, p, letGo = overflow(pool.CallerRuns)
	third = job.Run(ctx, where)
	place, err := third.Wait(context.Background())
	fmt.Println("caller runs:", third.Status(), place, err)
	letGo()
	fmt.Println("  refused so far:", p.Metrics().Refused, "- shut down:", p.Shutdown(context.Background()))

	ctx, p, letGo = overflow(pool.Block)
	submitted := make(chan *job.Job[string])
	go func() { submitted <- job.Run(ctx, where) }()
	select {
	case <-submitted:
		fmt.Println("never printed: there is no room")
	default:
	}
	letGo()
	third = <-submitted
	place, err = third.Wait(context.Background())
	fmt.Println("block:      ", third.Status(), place, err)
	fmt.Println("  refused so far:", p.Metrics().Refused, "- shut down:", p.Shutdown(context.Background()))
}
