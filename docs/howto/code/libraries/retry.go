package main

import (
	"context"

	"github.com/cenkalti/backoff/v5"

	"github.com/movenext/movenext/coord/retry"
)

// withBackoff is the library's own loop. Each pause holds the goroutine.
func withBackoff(ctx context.Context, p backoff.BackOff, operation func(context.Context) (int, error)) (int, error) {
	return backoff.Retry(ctx, func() (int, error) { return operation(ctx) },
		backoff.WithBackOff(p), backoff.WithMaxTries(5), backoff.WithMaxElapsedTime(0))
}

// withRetry is the loop of package retry, with the library's pauses.
//
//movenext:async
func withRetry(ctx context.Context, p backoff.BackOff, operation func(context.Context) (int, error)) (int, error) {
	return retry.Do(ctx, p, operation, retry.Attempts(5))
}
