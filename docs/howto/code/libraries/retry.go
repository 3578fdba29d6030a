package main

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/movenext/movenext/job"
)

// withBackoff is the library's own loop. Each pause holds the goroutine.
func withBackoff[T any](ctx context.Context, p policy, operation func(context.Context) (T, error)) (T, error) {
	return backoff.Retry(ctx, func() (T, error) { return operation(ctx) },
		backoff.WithBackOff(p.pauses), backoff.WithMaxTries(p.tries), backoff.WithMaxElapsedTime(p.longest))
}

// retry is that loop with a twin: the pauses and the end of the loop are the library's.
//
//movenext:async
func retry[T any](ctx context.Context, p policy, operation func(context.Context) *job.Job[T]) (T, error) {
	p.pauses.Reset()
	began := time.Now()
	for tries := uint(1); ; tries++ {
		v, err := operation(ctx).Await()
		pause, last := p.judge(ctx, err, tries, time.Since(began))
		if pause == backoff.Stop {
			return v, last
		}
		if err := job.Sleep(ctx, pause); err != nil {
			return v, context.Cause(ctx)
		}
	}
}

// policy holds the options of backoff.Retry. Like the pauses, it is for one call at a time.
type policy struct {
	pauses  backoff.BackOff
	tries   uint          // all of them; 0 means no limit
	longest time.Duration // of all tries and pauses; 0 means no limit
}

// judge returns the pause after a try, or backoff.Stop and the error of the operation.
func (p policy) judge(ctx context.Context, err error, tries uint, since time.Duration) (time.Duration, error) {
	var permanent *backoff.PermanentError
	var after *backoff.RetryAfterError
	switch {
	case err == nil, p.tries > 0 && tries >= p.tries:
		return backoff.Stop, err
	case errors.As(err, &permanent):
		return backoff.Stop, permanent.Unwrap()
	case ctx.Err() != nil:
		return backoff.Stop, context.Cause(ctx)
	}
	pause := p.pauses.NextBackOff()
	if pause != backoff.Stop && errors.As(err, &after) {
		pause = after.Duration
		p.pauses.Reset()
	}
	if p.longest > 0 && since+pause > p.longest {
		return backoff.Stop, err
	}
	return pause, err
}
