// A service that fails in every possible way, and a caller that distinguishes them.
package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

//go:generate go tool movenext .

var errNotFound = errors.New("not found")

// find looks something up, and fails as its argument says.
//
//movenext:async
func find(ctx context.Context, key string) (string, error) {
	if err := job.Sleep(ctx, time.Millisecond); err != nil {
		return "", fmt.Errorf("find %q: %w", key, err)
	}
	switch key {
	case "absent":
		return "", fmt.Errorf("find %q: %w", key, errNotFound)
	case "broken":
		panic("index out of range")
	}
	return "value of " + key, nil
}

// findOr recovers, as plain Go does: the deferred function sees the panic of a
// call that has suspended.
//
//movenext:async
func findOr(ctx context.Context, key, otherwise string) (text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			text, err = otherwise, nil
		}
	}()
	return find(ctx, key)
}

// kind names an outcome in one word.
func kind(err error) string {
	var p *job.PanicError
	var w *job.WaitError
	switch {
	case err == nil:
		return "a result"
	case errors.As(err, &p):
		return fmt.Sprint("a panic: ", p.Value)
	case errors.As(err, &w):
		return "the waiting ended, the work goes on"
	case errors.Is(err, context.DeadlineExceeded):
		return "too late"
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, schedulers.ErrShutdown):
		return "refused"
	default:
		return "an error: " + err.Error()
	}
}

func main() {
	ctx := context.Background()
	show := func(name string, j *job.Job[string]) {
		_, err := j.Wait(ctx)
		fmt.Printf("%-9s %-9v %s\n", name, j.Status(), kind(err))
	}
	show("present", findAsync(ctx, "present"))
	show("absent", findAsync(ctx, "absent"))
	show("broken", findAsync(ctx, "broken"))
	show("recovers", findOrAsync(ctx, "broken", "a default"))

	timely, cancel := context.WithTimeout(ctx, time.Nanosecond)
	defer cancel()
	show("late", findAsync(timely, "present"))

	closed := pool.New()
	if err := closed.Shutdown(ctx); err != nil {
		fmt.Println(err)
	}
	show("refused", job.Run(ctx, func(ctx context.Context) (string, error) { return find(ctx, "present") }, job.On(closed)))

	waiting(ctx)
	together(ctx)
}

// waiting ends a wait, but not the work.
func waiting(ctx context.Context) {
	source := job.NewSource[string]()
	impatient, cancel := context.WithCancel(ctx)
	cancel()
	_, err := source.Job().Wait(impatient)
	fmt.Printf("%-9s %-9v %s\n", "waited", source.Job().IsCompleted(), kind(err))
	source.TrySetResult("at last")
	fmt.Println(source.Job().Wait(ctx))
}

// together runs three searches in a scope: the first failure ends the others, and the
// scope ends when all have.
func together(ctx context.Context) {
	err := job.InScope(ctx, func(ctx context.Context, s *job.Scope) error {
		for _, key := range []string{"present", "absent"} {
			s.Go(func(ctx context.Context) error {
				_, err := find(ctx, key)
				return err
			})
		}
		s.Go(func(ctx context.Context) error {
			<-ctx.Done() // ends only because its sibling fails
			return nil
		})
		return nil
	})
	fmt.Println("scope:   ", errors.Is(err, errNotFound))
}
