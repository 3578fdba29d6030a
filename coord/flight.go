package coord

import (
	"context"
	"fmt"
	"sync"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// flight is one computation for many who want its result.
//
// It is tempting to give all of them the computation's own job. Its Cancel would
// then be in the hands of each, and none could give up waiting without it. So who asks
// for a job gets a waiter, with a context of its own, and the computation has none that
// ends: it belongs to all. Only a flight that has landed well hands out its job, as nothing
// can be canceled any more.
type flight[T any] struct {
	run  *job.Job[T]
	node continuation.Node

	landed func() // called when the computation has ended; may be nil

	mu    sync.Mutex
	over  bool // nobody waits then
	queue queue[T, job.Void]
}

// newFlight prepares to run fn with the values of ctx: its scheduler, not its end.
func newFlight[T any](ctx context.Context, fn func(context.Context) (T, error)) *flight[T] {
	f := &flight[T]{run: job.New(context.WithoutCancel(ctx), fn)}
	f.node.Prepare(f)
	return f
}

// start starts the computation. Who has made the flight calls it, once.
func (f *flight[T]) start() {
	if !f.run.Register(&f.node) { // registering starts a job that was not
		f.Completed(nil).Deliver(nil)
	}
}

// wait waits for the result, but not for longer than ctx. It waits for the computation's own
// job and not in the queue: a worker that waits for what is queued behind it can then run it in
// place, where a scheduler of one worker would have to refuse the wait.
func (f *flight[T]) wait(ctx context.Context) (T, error) {
	// Whoever has made the flight may not have got as far as starting it.
	_ = f.run.Start()
	_, err := f.run.Wait(ctx)
	if f.run.IsCompleted() {
		return f.result()
	}
	var none T
	return none, whyWaitEnded(err)
}

// waitAsync returns a job that ends with the flight, or with ctx.
func (f *flight[T]) waitAsync(ctx context.Context) *job.Job[T] { return waitAsync(ctx, f, job.Void{}) }

// succeeded reports whether the flight has ended with a value and no error.
func (f *flight[T]) succeeded() bool { return f.run.Status() == job.Completed }

// failed reports whether the flight has ended with an error.
func (f *flight[T]) failed() bool { return f.run.IsCompleted() && !f.succeeded() }

// result returns the outcome of a flight that has ended.
//
// A panic in fn would surface as a panic in whoever called a twin, as it should where
// that call made it happen. Here it did not: one caller made it happen, many wait, some
// come later. So it is wrapped, and a wrapped panic is an error to everybody. An error
// that wraps one already was returned by fn, and is left as it is.
func (f *flight[T]) result() (T, error) {
	v, err := f.run.GetResult()
	_, panicked := err.(*job.PanicError)
	if panicked || err == job.ErrGoexit {
		err = fmt.Errorf("coord: computing a shared value: %w", err)
	}
	return v, err
}

// Completed implements continuation.Target: the computation has ended.
func (f *flight[T]) Completed(schedulers.Worker) continuation.Chain {
	if f.landed != nil {
		f.landed()
	}
	f.mu.Lock()
	f.over = true
	var told outcomes
	if !f.queue.empty() { // an error that nobody waits for stays one that nobody has seen
		told = f.queue.serveAll(f.result())
	}
	f.mu.Unlock()
	return told.complete()
}

func (f *flight[T]) guard() *sync.Mutex { return &f.mu }

func (f *flight[T]) admit(w *waiter[T, job.Void]) (told outcomes) {
	if !f.over {
		f.queue.push(w)
		return told
	}
	w.value, w.err = f.result()
	told.add(w)
	return told
}

func (f *flight[T]) cancel(w *waiter[T, job.Void]) outcomes { return f.queue.cancel(w) }
