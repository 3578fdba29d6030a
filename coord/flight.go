package coord

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// flight is one computation with many callers that want its result.
//
// It is tempting to return the computation's own job to all of them. Then each could
// Cancel it, and none could stop waiting without doing so. So a caller that wants a job
// gets a waiter with its own context, and the computation's context never ends: the
// computation belongs to all callers. Only a flight that has succeeded returns its own
// job, as nothing can be canceled any more.
type flight[T any] struct {
	run  *job.Job[T]
	node continuation.Node

	onEnd func() // called when the computation has ended; may be nil

	mu    interleave.Mutex
	over  bool // no waiters then
	queue queue
}

// newFlight prepares to run fn with the values of ctx: its scheduler, not its end.
func newFlight[T any](ctx context.Context, fn func(context.Context) (T, error)) *flight[T] {
	f := &flight[T]{run: job.New(context.WithoutCancel(ctx), fn)}
	f.node.Prepare(f)
	return f
}

// start starts the computation. The caller that made the flight calls it once.
func (f *flight[T]) start() {
	if !f.run.Register(&f.node) { // registering starts an unstarted job
		f.Completed(nil).Deliver(nil)
	}
}

// wait waits for the result, at most until ctx ends. It waits for the computation's own
// job and not in the queue: a worker can then run the computation in place if it is
// queued behind the worker's current work. Otherwise a scheduler of one worker would
// have to refuse the wait.
func (f *flight[T]) wait(ctx context.Context) (T, error) {
	// The caller that made the flight may not have started it yet.
	_ = f.run.Start()
	_, err := f.run.Wait(ctx)
	if f.run.IsCompleted() {
		return f.result()
	}
	var none T
	return none, waitEndReason(err)
}

// waitAsync returns a job that ends with the flight, or with ctx.
func (f *flight[T]) waitAsync(ctx context.Context) *job.Job[T] {
	return waitAsync[T](ctx, f, job.Void{})
}

// succeeded reports whether the flight has ended with a value and no error.
func (f *flight[T]) succeeded() bool { return f.run.Status() == job.Completed }

// failed reports whether the flight has ended with an error.
func (f *flight[T]) failed() bool { return f.run.IsCompleted() && !f.succeeded() }

// result returns the outcome of a flight that has ended.
//
// A panic in fn would surface as a panic in the caller of a twin, which is right if that
// call caused it. Here one caller caused it, many wait for it, and some call later. So
// the panic is wrapped, and all callers see it as an error. An error that already wraps
// a panic was returned by fn, and is left unchanged.
func (f *flight[T]) result() (T, error) {
	v, err := f.run.GetResult()
	if promise.Thrown(err) {
		err = fmt.Errorf("coord: computing a shared value: %w", err)
	}
	return v, err
}

// Completed implements continuation.Target: the computation has ended.
func (f *flight[T]) Completed(schedulers.Worker) continuation.Chain {
	if f.onEnd != nil {
		f.onEnd()
	}
	f.mu.Lock()
	f.over = true
	var decided outcomes
	for !f.queue.empty() { // an error without waiters stays unobserved
		decided.append(f.serve(f.queue.pop()))
	}
	f.mu.Unlock()
	return decided.complete()
}

func (f *flight[T]) guard() *interleave.Mutex { return &f.mu }

func (f *flight[T]) admit(w *waiter) (decided outcomes) {
	if !f.over {
		f.queue.push(w)
		return decided
	}
	return f.serve(w)
}

// serve serves w with the outcome.
func (f *flight[T]) serve(w *waiter) (decided outcomes) {
	callOf[T, job.Void](w).value, w.err = f.result()
	decided.add(w)
	return decided
}

func (f *flight[T]) cancel(w *waiter) outcomes { return f.queue.cancel(w) }
