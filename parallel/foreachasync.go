package parallel

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
)

// ForEachAsync calls body with each item, and keeps up to [Degree] of the jobs
// that it returns under way at a time. It returns a job that completes when all
// of them have ended. It does not block; bodies are called on the ambient
// scheduler of ctx, else on the default one, never on the caller's goroutine.
// While a body's job is not complete it holds no goroutine, so the degree may be
// a thousand.
//
// A body is usually the twin of an async function. The results of its jobs are
// not kept: see [MapAsync].
//
// The first failure (an error of a job, a nil job, a panic or a runtime.Goexit in a
// body, the end of ctx, a refusal by the scheduler) stops the loop: no further body
// begins and the context of the bodies is canceled with that failure as the cause. The
// loop's job fails with it when all bodies' jobs have ended; it is Canceled if ctx has
// ended, else Faulted.
//
// Bodies begin in the order of the items; an item of a sequence is requested only when a
// body can take it. ForEachAsync is not a twin of [ForEach], whose bodies return errors.
func ForEachAsync[S Items[T], T, R any](ctx context.Context, items S, body func(ctx context.Context, item T) *job.Job[R], opts ...Option) *job.Job[job.Void] {
	p := new(promise.Promise[job.Void])
	a := &asyncLoop[T, R]{body: body}
	a.complete = func(err error) continuation.Chain {
		waiters, _ := promise.TryComplete(p, a.parent, job.Void{}, err)
		return waiters
	}
	promise.Init(&p.Job)
	if err := startAsync(ctx, a, items, opts); err != nil {
		return promise.FailedVoid(ctx, err)
	}
	return &p.Job
}

// MapAsync is [ForEachAsync] with the results of the bodies' jobs: in the order of the
// items, or with [AsCompleted] in the order in which the jobs completed. A job that
// fails has no results.
func MapAsync[S Items[T], T, R any](ctx context.Context, items S, body func(ctx context.Context, item T) *job.Job[R], opts ...Option) *job.Job[[]R] {
	s, err := settingsOf(opts)
	if err != nil {
		return job.FromError[[]R](err)
	}
	slice, _, isSlice := either[S, T](items)
	out := newResults[R](len(slice), isSlice, s)
	p := new(promise.Promise[[]R])
	a := &asyncLoop[T, R]{body: body, keep: func(i int, r R) { _ = out.keep(i, r, nil) }}
	a.complete = func(err error) continuation.Chain {
		if err != nil {
			out.all = nil
		}
		waiters, _ := promise.TryComplete(p, a.parent, out.all, err)
		return waiters
	}
	promise.Init(&p.Job)
	if err := startAsync(ctx, a, items, opts); err != nil {
		return promise.Failed[[]R](ctx, err)
	}
	return &p.Job
}

// startAsync starts a, or returns the reason why it cannot.
func startAsync[S Items[T], T, R any](ctx context.Context, a *asyncLoop[T, R], items S, opts []Option) error {
	s, err := settingsOf(opts)
	if err != nil {
		return err
	}
	if a.body == nil {
		return ErrNilFunc
	}
	slice, seq, isSlice := either[S, T](items)
	if isSlice {
		from := &sliceItems[T, R]{loop: a, slice: slice}
		from.lanes.Store(int64(s.degree))
		a.items = from
	} else {
		if seq == nil {
			return ErrNilFunc
		}
		f := &feeder[T, R]{loop: a, seq: seq}
		f.idle.quota = s.degree
		a.items = f
	}
	return a.launch(ctx)
}
