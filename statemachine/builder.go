package statemachine

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Builder is the part of a root machine that makes and completes its job: .NET's
// AsyncTaskMethodBuilder. It is the first field of generated roots, which do not embed it: each
// promoted method is a function to compile.
type Builder[T any] struct {
	Chain   jobChain
	Promise promise.Promise[T]
}

// jobChain is the part of a [Builder] that does not depend on the type of the results, so that
// packages with machines do not compile it. Its methods get the job of the builder.
type jobChain struct {
	chain chain
	ctx   context.Context
}

// Start takes over a chain of frames that suspended during its hot start: r is the run
// of that start, m the promoted root, f its frame. It finds the root's home (the ambient
// scheduler of ctx, or the default), registers the chain, and makes j its job. The machine
// may have finished when Start returns.
func (c *jobChain) Start(j job.Handle, ctx context.Context, r *Run, m rootMachine, f *Frame) {
	promise.InitDependent(j)
	promise.HoldContext(j, ctx)
	c.ctx = ctx
	r.Push(ctx, m, f)
	c.chain.takeOver(ctx, r, f)
	c.chain.begin(r)
}

// Root returns the root of a chain with the job j.
func (c *jobChain) Root(j job.Handle) Root { return Root{j, c} }

// SetResult completes the job with the results of the function. r is the argument of the
// last MoveNext.
func (b *Builder[T]) SetResult(r *Run, v T, err error) {
	r.unwatch() // the context may be a job's, which lasts as long as it is watched
	if waiters, ok := promise.TryComplete(&b.Promise, b.Chain.ctx, v, err); ok {
		b.Chain.ended(&b.Promise.Job, waiters, r.leaving())
	}
}

func (c *jobChain) fail(j job.Handle, f *failure, worker schedulers.Worker) {
	if waiters, ok := promise.TryFail(j, context.Background(), f.err()); ok {
		c.ended(j, waiters, worker)
	}
}

// ended notifies those that waited for j, on worker.
func (c *jobChain) ended(j job.Handle, waiters continuation.Chain, worker schedulers.Worker) {
	promise.ReleaseContext(j, c.ctx)
	waiters.Deliver(worker)
}

// Completed returns the job of an async function that did not suspend. ctx is its
// first context parameter, or nil: here and below it decides, with the error, between
// Canceled and Faulted.
func Completed[T any](ctx context.Context, v T, err error) *job.Job[T] {
	if err == nil {
		return job.FromResult(v)
	}
	p := new(promise.Promise[T])
	promise.Init(&p.Job)
	promise.TryComplete(p, ctx, v, err) // it has no waiters yet
	return &p.Job
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
	promise.Init(&p.Job)
	go promise.Perform(p, ctx, f)
	return &p.Job
}
