// A result that has not arrived: first in twenty lines, then with a status, a place to run, and
// support for functions that panic.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers/manual"
)

func main() {
	f := start(func() (int, error) { return 42, nil })
	fmt.Println(f.wait())

	statuses()
	failures()
}

// statuses runs a job on a scheduler that takes a step on request, so that each status can be
// seen.
func statuses() {
	ctx, steps := context.Background(), manual.New()
	var j *job.Job[int]
	j = job.New(ctx, func(context.Context) (int, error) {
		fmt.Println("inside: ", j.Status())
		return 42, nil
	}, job.On(steps))
	fmt.Println("made:   ", j.Status())
	if err := j.Start(); err != nil {
		fmt.Println(err)
	}
	fmt.Println("started:", j.Status())
	steps.Step()
	fmt.Println("ended:  ", j.Status())
}

// failures shows three ways to end without a result, which the caller distinguishes.
func failures() {
	ctx := context.Background()
	failed := job.Go(ctx, func(context.Context) error { return errors.New("no such page") })
	panicked := job.Go(ctx, func(context.Context) error { panic("index out of range") })
	canceled := job.Go(ctx, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	canceled.Cancel()

	for _, j := range []*job.Job[job.Void]{failed, panicked, canceled} {
		_, err := j.Wait(ctx)
		var p *job.PanicError
		fmt.Println(j.Status(), errors.As(err, &p), errors.Is(err, context.Canceled))
	}
}
