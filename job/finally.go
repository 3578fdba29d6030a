package job

import (
	"context"
	"errors"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/schedulers"
)

// Finally returns a job that runs fn once j has ended, in whatever way, and then ends
// as j did: with the same value, error and status. If fn fails, by a panic or
// runtime.Goexit too, the job has j's value and has Faulted with j's error and fn's,
// joined. It does not block.
//
// It is to j what a deferred call is to a function, so fn runs in any case: the end of
// ctx neither cancels the job nor reaches fn, whose context has no deadline (bound it
// in fn if need be), and [Job.Cancel] returns false. A nil j does not prevent it
// either: it counts as one that has Faulted with [ErrNilJob]. Only a scheduler that
// refuses or abandons the job keeps fn from running; the job says so. Scheduler and
// other options are those of [ContinueWith], filters and [Shielded] aside.
func Finally[T any](ctx context.Context, j *Job[T], fn func(context.Context) error, opts ...Option) *Job[T] {
	f := &finally[T]{fn: fn}
	if err := f.prepare(f, ctx, opts, forFinally, fn == nil); err != nil {
		return f.failed(err)
	}
	f.shield()
	f.mode |= lazy | unstoppable
	return f.attach(present(j), f)
}

type finally[T any] struct {
	link[T, T]
	fn func(context.Context) error
	of *Job[T] // what ends with it; link's own is gone when fn runs
}

// Completed implements continuation.Target.
func (f *finally[T]) Completed(from schedulers.Worker) continuation.Chain {
	return f.activate(f, from)
}

// Run implements schedulers.Work.
func (f *finally[T]) Run(on schedulers.Worker) { f.run(f, on, nil) }

func (f *finally[T]) runClaimed(on schedulers.Worker) { f.execute(f, on) }

func (f *finally[T]) runNext(on schedulers.Worker, q *queue) { f.run(f, on, q) }

func (f *finally[T]) invoke(ctx context.Context) (T, error) {
	f.of = f.antecedent()
	failed := f.fn(ctx)
	if rest := suspension.Of(failed); rest != nil {
		var none T
		return none, &finallyRest[T]{Suspended: rest, finally: f, of: f.of}
	}
	return f.after(f.of, failed)
}

// after returns the outcome of the job when fn has returned failed.
func (f *finally[T]) after(of *Job[T], failed error) (T, error) {
	v, err := of.GetResult()
	if failed != nil {
		return v, joined(err, failed)
	}
	f.final = uint8(of.Status())
	return v, err
}

// finallyRest is an fn that has suspended. It lies between the end of fn and the end of
// the job, whose result types differ.
type finallyRest[T any] struct { //nolint:errname // an error by type alone
	suspension.Suspended
	finally *finally[T]
	of      *Job[T]
}

// GoOn implements suspension.Suspended.
func (r *finallyRest[T]) GoOn(_ any, on schedulers.Worker, spent uint8) {
	r.Suspended.GoOn(r, on, spent)
}

// Return implements suspension.Ender.
func (r *finallyRest[T]) Return(_ Void, failed error) continuation.Chain {
	v, err := r.finally.after(r.of, failed)
	return r.finally.Return(v, err)
}

// Fault implements suspension.Ender.
func (r *finallyRest[T]) Fault(err error) continuation.Chain {
	r.finally.of = r.of
	return r.finally.Fault(err)
}

// Handle implements suspension.Ender.
func (r *finallyRest[T]) Handle() any { return &r.finally.Job }

// crashed implements keeper: the job's result survives a crash of fn, whose error is
// joined to the job's.
func (f *finally[T]) crashed(failed error) error {
	if f.of == nil {
		return failed // the context of the job has panicked, before fn
	}
	v, err := f.of.GetResult()
	f.value = v
	return joined(err, failed)
}

func joined(err, failed error) error {
	if err == nil {
		return failed
	}
	return errors.Join(err, failed)
}

func (f *finally[T]) drop() {
	f.release()
	f.fn, f.of = nil, nil
}
