package job

import (
	"context"
	"time"
)

// WaitAsync returns a job that ends as j does, or is Canceled with a *[WaitError] when
// ctx ends before. It is [Job.Wait] for callers that must not block: ctx bounds the
// wait and not the job, which continues and keeps nothing of the wait. Where there is
// nothing to bound, because j has ended or ctx never does, it returns j itself. For a
// Created j the returned job has faulted with [ErrNotStarted].
func WaitAsync[T any](ctx context.Context, j *Job[T]) *Job[T] {
	if ctx == nil {
		ctx = context.Background()
	}
	if known := withoutWaiting(ctx, j); known != nil {
		return known
	}
	if ctx.Done() == nil {
		return j
	}
	r := &relay[T]{ctx: ctx, bounded: bounded(ctx, current(ctx))}
	r.promise.InitDependent()
	r.follow(j).Deliver(nil)
	r.watchContext(r)
	return r.promise.Job()
}

// WaitTimeout is [WaitAsync] with a timeout in addition to the context: after d the job
// is Canceled with a *[WaitError] that matches context.DeadlineExceeded. A d of zero or
// less has passed already. The time is that of ctx's scheduler, if that has
// [schedulers.Timers], else real time: a million waits share one timer of the Go
// runtime, where context.WithTimeout would make one each.
func WaitTimeout[T any](ctx context.Context, j *Job[T], d time.Duration) *Job[T] {
	if ctx == nil {
		ctx = context.Background()
	}
	if known := withoutWaiting(ctx, j); known != nil {
		return known
	}
	if d <= 0 {
		return unwaited[T](context.DeadlineExceeded)
	}
	r := &relay[T]{ctx: ctx, timers: Timers(ctx)}
	r.promise.InitDependent()
	r.follow(j).Deliver(nil)
	r.watchContext(r)
	r.watchTime(d)
	return r.promise.Job()
}

// withoutWaiting returns the job that a wait for j is over with at once, or nil.
func withoutWaiting[T any](ctx context.Context, j *Job[T]) *Job[T] {
	switch {
	case j == nil:
		return FromError[T](ErrNilJob)
	case j.isCompleted():
		return j
	case j.Status() == Created:
		return FromError[T](ErrNotStarted)
	case ctx.Err() != nil:
		return unwaited[T](contextError(ctx))
	}
	return nil
}

func unwaited[T any](why error) *Job[T] {
	var zero T
	return ended(Canceled, zero, &WaitError{Err: why})
}
