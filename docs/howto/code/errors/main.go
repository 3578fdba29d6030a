// The ways in which a job fails, which its caller distinguishes: an error, a panic, a
// cancellation, and a wait that gave up while the work continues.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/movenext/movenext/job"
)

// describe names the outcome of a job.
func describe(err error) string {
	var crash *job.PanicError
	var wait *job.WaitError
	switch {
	case err == nil:
		return "it is done"
	case errors.As(err, &crash):
		return fmt.Sprintf("a bug: %v", crash.Value)
	case errors.As(err, &wait):
		return "no answer in time; the work continues"
	case errors.Is(err, context.Canceled):
		return "it was canceled"
	case errors.Is(err, fs.ErrNotExist):
		return "the file does not exist"
	default:
		return "it failed: " + err.Error()
	}
}

func main() {
	ctx := context.Background()
	open := func(name string) func(context.Context) error {
		return func(context.Context) error { return fmt.Errorf("open %s: %w", name, fs.ErrNotExist) }
	}
	failed := job.Go(ctx, open("a.txt"))
	_, err := failed.Wait(ctx)
	fmt.Println(describe(err))

	crashed := job.Go(ctx, func(context.Context) error { panic("index out of range") })
	_, err = crashed.Wait(ctx)
	fmt.Println(describe(err))

	stopped := job.Go(ctx, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	impatient, cancel := context.WithCancel(ctx)
	cancel()
	_, err = stopped.Wait(impatient)
	fmt.Println(describe(err))
	stopped.Cancel()
	_, err = stopped.Wait(ctx)
	fmt.Println(describe(err))

	// Several errors are joined, and each can be found.
	_, err = job.WhenAll(failed, job.Go(ctx, open("b.txt"))).Wait(ctx)
	fmt.Println(err)
}
