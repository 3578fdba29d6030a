// Retry with a growing, random pause, and a second request when the first one takes long.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/movenext/movenext/job"
)

// errBusy is a transient failure.
var errBusy = errors.New("busy")

// backoff determines how often, and with which pauses, an operation is retried.
type backoff struct {
	attempts    int
	first, most time.Duration
}

// pause returns the pause after an attempt: twice as long each time, up to most, and of
// that a random part of at least a half, so that clients do not come back together.
func (b backoff) pause(attempt int) time.Duration {
	d := min(b.first<<attempt, b.most)
	return d/2 + rand.N(d/2+1)
}

// retry calls operation until it succeeds, fails for good, or has been tried too often.
//
//movenext:async
func retry[T any](ctx context.Context, b backoff, operation func(context.Context) (T, error)) (v T, err error) {
	for attempt := range b.attempts {
		v, err = operation(ctx)
		if err == nil || !errors.Is(err, errBusy) {
			return v, err
		}
		if attempt+1 < b.attempts {
			if err := job.Sleep(ctx, b.pause(attempt)); err != nil {
				return v, err
			}
		}
	}
	return v, fmt.Errorf("after %d attempts: %w", b.attempts, err)
}

// hedge starts operation, and a second time if it takes longer than patience. The first
// result counts, and the other operation is canceled.
//
//movenext:async
func hedge[T any](ctx context.Context, patience time.Duration, operation func(context.Context, int) *job.Job[T]) (T, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	first := operation(ctx, 1)
	if v, err := job.WaitTimeout(ctx, first, patience).Await(); !errors.Is(err, context.DeadlineExceeded) {
		return v, err
	}
	return job.Race(first, operation(ctx, 2)).Await()
}

// flaky is busy the first two times.
//
//movenext:async
func flaky(ctx context.Context, calls *int) (string, error) {
	if err := job.Sleep(ctx, time.Millisecond); err != nil {
		return "", err
	}
	if *calls++; *calls < 3 {
		return "", errBusy
	}
	return "a page", nil
}

// slow never answers the first request.
//
//movenext:async
func slow(ctx context.Context, request int) (string, error) {
	if request == 1 {
		return "", job.Sleep(ctx, time.Hour)
	}
	return "a page for the second request", nil
}

//movenext:async
func run(ctx context.Context) {
	calls := 0
	b := backoff{attempts: 5, first: time.Millisecond, most: 10 * time.Millisecond}
	fmt.Println(retry(ctx, b, func(ctx context.Context) (string, error) { return flaky(ctx, &calls) }))
	fmt.Println("calls:", calls)

	b.attempts = 2
	calls = -10
	_, err := retry(ctx, b, func(ctx context.Context) (string, error) { return flaky(ctx, &calls) })
	fmt.Println(err, errors.Is(err, errBusy))

	fmt.Println(hedge(ctx, time.Millisecond, slowAsync))
}

func main() {
	ctx := context.Background()
	if _, err := runAsync(ctx).Wait(ctx); err != nil {
		fmt.Println(err)
	}
}
