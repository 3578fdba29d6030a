// A label that only its owning goroutine may touch, as in a window system: it reports
// which goroutine touches it. Jobs compute on the pool and show their results on the
// loop. The main goroutine is the loop until the window is closed.
//
// The document behind it, step by step: docs/sources/dotnet.md.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/eventloop"
	"github.com/movenext/movenext/schedulers/pool"
)

// label is the object with an owner.
type label struct{ owner schedulers.Scheduler }

var errWrongPlace = errors.New("the label is touched by a goroutine that does not own it")

func (l *label) setText(ctx context.Context, text string) error {
	if by := schedulers.WorkerFrom(ctx); by == nil || by.Scheduler() != l.owner {
		return errWrongPlace
	}
	fmt.Println("label:", text)
	return nil
}

func main() {
	loop := eventloop.New()
	workers := pool.New()
	screen := &label{owner: loop}
	ctx, quit := context.WithCancel(context.Background())

	compute := job.Run(ctx, func(ctx context.Context) (int, error) {
		fmt.Println("from the pool:", screen.setText(ctx, "42"))
		return 42, nil
	}, job.On(workers))

	// A continuation is also a job: this one runs on the loop.
	shown := job.Then(ctx, compute, func(ctx context.Context, answer int) (job.Void, error) {
		return job.Void{}, screen.setText(ctx, fmt.Sprint("the answer is ", answer))
	}, job.On(loop))

	_ = job.Finally(ctx, shown, func(context.Context) error {
		quit() // the window is closed
		return nil
	}, job.On(loop))

	fmt.Println("the loop ends:", loop.Run(ctx))
	fmt.Println("shut down:", loop.Shutdown(context.Background()), workers.Shutdown(context.Background()))
}
