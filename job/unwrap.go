package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/schedulers"
)

// Unwrap returns a job that ends as the job that j yields: with the same value, error
// and status. If j itself fails, it ends as j did; if j yields nil, it has Faulted with
// [ErrNilJob]; if it yields the Unwrap itself or what waits for it, with a
// *[CycleError]. When ctx ends before that, it is Canceled with a *[WaitError], and
// neither job keeps it. It does not block. Jobs that are Created are started.
func Unwrap[T any](ctx context.Context, j *Job[*Job[T]]) *Job[T] {
	if ctx == nil {
		ctx = context.Background()
	}
	if j == nil {
		return FromError[T](ErrNilJob)
	}
	if !j.isCompleted() && ctx.Err() != nil {
		return unwaited[T](contextError(ctx))
	}
	j.startIfCreated()
	u := &unwrap[T]{}
	u.ctx, u.bounded = ctx, bounded(ctx, current(ctx))
	u.promise.initDependent()
	if u.outer.of = u; !u.outer.enter(j, &u.outer) {
		u.outer.Completed(nil).Deliver(nil)
	}
	u.watchContext(u)
	if u.ended() {
		u.outer.leave()
	}
	return &u.promise.job
}

// unwrap waits for one job and then for another. The second half is a relay; the
// first is a registration that starts it, and is taken back when the relay ends.
type unwrap[T any] struct {
	relay[T]
	outer outerHalf[T]
}

type outerHalf[T any] struct {
	listing[*Job[T]]
	of *unwrap[T]
}

// Completed implements continuation.Target: the outer job has ended.
func (h *outerHalf[T]) Completed(schedulers.Worker) continuation.Chain {
	j := h.delivered()
	if inner := j.value; j.Status() == Completed && inner != nil {
		return h.of.followInner(inner)
	}
	final, err := j.Status(), j.err()
	if final == Completed {
		final, err = Faulted, ErrNilJob
	}
	var zero T
	told, won := h.of.end(final, zero, err)
	if won {
		j.observed()
	}
	return told
}

// followInner begins the second half. A job that is the Unwrap itself, or waits for it,
// would never end; whether it does is asked when the Unwrap can be seen to wait, as
// everywhere.
func (u *unwrap[T]) followInner(inner *Job[T]) continuation.Chain {
	inner.startIfCreated()
	told := u.follow(inner)
	if err := circle(u.promise.job.base(), inner.base()); err != nil {
		var zero T
		ended, _ := u.end(Faulted, zero, err)
		told = told.Join(ended)
	}
	return told
}

func (h *outerHalf[T]) waitingJob() (*core, string) { return h.of.waitingJob() }

func (u *unwrap[T]) waitingJob() (*core, string) { return u.promise.job.base(), "Unwrap" }

// ContextEnded implements ctxwatch.Ender.
func (u *unwrap[T]) ContextEnded(w *ctxwatch.Watch) {
	u.relay.ContextEnded(w)
	u.outer.leave()
}
