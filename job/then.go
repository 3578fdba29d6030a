package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// Then returns a job that runs fn with the result of j once j has Completed. If j ends
// in another way, fn is not called and the job ends as j did: with the same status and
// error. Scheduler, context and options are those of [ContinueWith], filters aside. It
// does not block.
//
// The name is that of JavaScript's promises.
func Then[T, U any](ctx context.Context, j *Job[T], fn func(context.Context, T) (U, error), opts ...Option) *Job[U] {
	t := &then[T, U]{fn: fn}
	if err := t.prepare(t, ctx, opts, forThen, fn == nil); err != nil {
		return t.failed(err)
	}
	return t.attach(present(j), t)
}

type then[T, U any] struct {
	link[T, U]
	fn func(context.Context, T) (U, error)
}

// Completed implements continuation.Target.
func (t *then[T, U]) Completed(from schedulers.Worker) continuation.Chain {
	if j := t.after.Load(); j != nil && j.Status() != Completed {
		var zero U
		told, won := t.pass(j.Status(), zero, j.err())
		if won {
			j.observed() // from here on it is our failure
		}
		return told
	}
	return t.activate(t, from)
}

// Run implements schedulers.Work.
func (t *then[T, U]) Run(on schedulers.Worker) { t.run(t, on, nil) }

func (t *then[T, U]) runClaimed(on schedulers.Worker) { t.execute(t, on) }

func (t *then[T, U]) runNext(on schedulers.Worker, q *queue) { t.run(t, on, q) }

func (t *then[T, U]) invoke(ctx context.Context) (U, error) {
	v, _ := t.antecedent().GetResult()
	return t.fn(ctx, v)
}

func (t *then[T, U]) drop() {
	t.release()
	t.fn = nil
}
