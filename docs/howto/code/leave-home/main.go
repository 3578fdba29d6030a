// The equivalent of ConfigureAwait(false) in C# and withContext in Kotlin: a part of a function
// that does not run on its event loop. The caller stays there.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/eventloop"
	"github.com/movenext/movenext/schedulers/pool"
)

// where names what runs the caller.
func where() string {
	by := schedulers.Here()
	if by == nil {
		return "no scheduler"
	}
	if _, on := by.Scheduler().(*eventloop.Loop); on {
		return "the loop"
	}
	return "the pool"
}

// load leaves its home for good, before its first wait: only its first line runs on the loop.
//
//movenext:async
func load(ctx context.Context, workers schedulers.Scheduler, data *job.Job[int]) (int, error) {
	fmt.Println("  load begins on", where())
	if err := job.SwitchTo(ctx, workers); err != nil {
		return 0, err
	}
	n, err := data.Await()
	fmt.Println("  and continues on", where())
	return n, err
}

// sum runs one part elsewhere, as a job, and is back at home when it has the result.
//
//movenext:async
func sum(ctx context.Context, workers schedulers.Scheduler, data *job.Job[int]) (int, error) {
	n, err := job.Run(ctx, func(context.Context) (int, error) {
		n, err := data.Await()
		fmt.Println("  the part runs on", where())
		return n, err
	}, job.On(workers)).Await()
	fmt.Println("  the rest runs on", where())
	return n, err
}

// show is the code of a window: it always runs on the loop.
//
//movenext:async
func show(ctx context.Context, workers schedulers.Scheduler, data *job.Job[int]) error {
	fmt.Println("a function that leaves its home")
	n, err := load(ctx, workers, data)
	fmt.Println("  its caller is on", where(), "and shows", n, err)
	fmt.Println("a part that runs elsewhere")
	n, err = sum(ctx, workers, data)
	fmt.Println("  its caller is on", where(), "and shows", n, err)
	return err
}

// window starts it on the loop: a twin begins on its caller's goroutine.
//
//movenext:async
func window(ctx context.Context, workers schedulers.Scheduler) error {
	data := job.Run(ctx, func(context.Context) (int, error) { return 42, nil }, job.On(workers))
	_, err := job.Go(ctx, func(ctx context.Context) error { return show(ctx, workers, data) }).Await()
	return err
}

func main() {
	loop, workers := eventloop.Start(), pool.New(pool.Workers(2, 2))
	_, err := windowAsync(schedulers.With(context.Background(), loop), workers).Wait(context.Background())
	fmt.Println("error:", errors.Join(err, loop.Shutdown(context.Background()), workers.Shutdown(context.Background())))
}
