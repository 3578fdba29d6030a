package statemachine

import (
	"context"

	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Builder is the part of a root machine that makes and completes its job: .NET's
// AsyncTaskMethodBuilder. It is the first field of generated roots, which do not embed it: each
// promoted method is a function to compile.
type Builder[T any] struct {
	chain   chain
	ctx     context.Context
	promise promise.Promise[T]
}

// Start takes over a chain of frames that suspended during its hot start: r is the run
// of that start, m the promoted root, f its frame. It finds the root's home (the ambient
// scheduler of ctx, or the default), registers the chain, and returns the job. The machine
// may have finished when Start returns.
func (b *Builder[T]) Start(ctx context.Context, r *Run, m rootMachine, f *Frame) *job.Job[T] {
	promise.InitDependent(&b.promise)
	promise.HoldContext(&b.promise, ctx)
	b.ctx = ctx
	r.Push(ctx, m, f)
	b.chain.takeOver(ctx, r, f)
	j := b.promise.Job()
	b.chain.begin(r)
	return j
}

// SetResult completes the job with the results of the function. r is the argument of the
// last MoveNext.
func (b *Builder[T]) SetResult(r *Run, v T, err error) {
	r.unwatch() // the context may be a job's, which lasts as long as it is watched
	if waiters, ok := promise.TryComplete(&b.promise, b.ctx, v, err); ok {
		promise.ReleaseContext(&b.promise, b.ctx)
		waiters.Deliver(r.leaving())
	}
}

func (b *Builder[T]) handle() job.Handle { return b.promise.Job() }

func (b *Builder[T]) fail(f *failure, worker schedulers.Worker) {
	var zero T
	if waiters, ok := promise.TryComplete(&b.promise, context.Background(), zero, f.err()); ok {
		promise.ReleaseContext(&b.promise, b.ctx)
		waiters.Deliver(worker)
	}
}

// Completed returns the job of an async function that did not suspend. ctx is its
// first context parameter, or nil: here and below it decides, with the error, between
// Canceled and Faulted.
func Completed[T any](ctx context.Context, v T, err error) *job.Job[T] {
	if err == nil {
		return job.FromResult(v)
	}
	p := new(promise.Promise[T])
	promise.Init(p)
	promise.TryComplete(p, ctx, v, err) // it has no waiters yet
	return p.Job()
}

// Catch is deferred by the generated FAsync, with the run of its hot start: a panic
// before the first suspension becomes a faulted job, like a later one. A runtime.Goexit
// cannot be delayed: before the first suspension it ends the caller's goroutine. A panic that
// began during that is then the failure of a job that nobody has.
func Catch[T any](r *Run, j **job.Job[T]) {
	r.removeLabels()
	if v := recover(); v != nil {
		*j = job.FromError[T](r.failureOf(v).err())
		return
	}
	if *j == nil && r.failure != nil && r.failure.value != nil {
		*j = job.FromError[T](r.exited().err())
	}
}

// Plain runs f, the function as it was written, on a new goroutine and returns its job.
// In -mode=plain a twin does only this: it is the plain execution that the generated one
// is compared with.
func Plain[T any](ctx context.Context, f func() (T, error)) *job.Job[T] {
	p := new(promise.Promise[T])
	promise.Init(p)
	go promise.Perform(p, ctx, f)
	return p.Job()
}
