package job

import (
	"context"
	"time"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// relay is a job that ends as another one does, unless a context or a timer ends it
// first. Whichever of the three is first withdraws the other two.
//
// The promise decides which end is first. The order of the steps makes sure that nothing
// is left behind. The three are set up one after the other: the source, the watch, the
// timer. After each, the promise is checked, and each end withdraws everything that is
// set up:
//
//	setting up                          an end
//	 1. set it up                        1. win the promise
//	 2. record that it is there          2. withdraw all that is there
//	 3. the promise is won? withdraw it
//
// The side that takes its second step later sees the other's first step.
type relay[T any] struct {
	promise promise[T]
	source  listing[T]
	watch   ctxwatch.Watch
	timer   schedulers.Timer
	ctx     context.Context   // of the watch
	timers  schedulers.Timers // of the timer; nil: it has none
	bounded bool              // see the function
}

// watchSource has the relay end as j does.
func (r *relay[T]) watchSource(j *Job[T]) continuation.Chain {
	if !r.source.enter(j, r) {
		return r.Completed(nil)
	}
	if r.hasEnded() {
		r.source.leave()
	}
	return continuation.Chain{}
}

// watchContext notifies e when the context of the relay ends. If a method of the context fails
// there, nobody gets the relay, so it must not take the failure of its source.
func (r *relay[T]) watchContext(e ctxwatch.Listener) {
	orDesert(func() { r.giveUp(context.Canceled) }, func() { r.watch.Start(r.ctx, e) })
	if r.hasEnded() {
		r.watch.Stop()
	}
}

// watchTime has the relay end after d.
func (r *relay[T]) watchTime(d time.Duration) {
	r.timer.OnExpire = r
	r.timers.StartTimer(&r.timer, d)
	if r.hasEnded() {
		r.timers.StopTimer(&r.timer)
	}
}

func (r *relay[T]) hasEnded() bool { return r.promise.job.core.taken() }

// Completed implements continuation.Target: the source has ended.
func (r *relay[T]) Completed(schedulers.Worker) continuation.Chain {
	j := r.source.takeDelivered()
	waiters, won := r.end(j.Status(), j.value, j.core.err())
	if won {
		j.core.observeFailure() // from now on it is the relay's failure
	}
	return waiters
}

// end ends the relay, unless it has ended. It withdraws everything that is set up before
// it publishes the outcome: a relay that is seen complete has left nothing behind.
func (r *relay[T]) end(final Status, value T, err error) (waiters continuation.Chain, won bool) {
	if !r.promise.job.core.reserve() {
		return continuation.Chain{}, false
	}
	r.source.leave()
	r.watch.Stop()
	if r.timers != nil {
		r.timers.StopTimer(&r.timer)
	}
	return publish(&r.promise, final, value, err), true
}

func (r *relay[T]) waitingJob() (*core, string) { return &r.promise.job.core, "wait" }

// endsOtherwise reports whether time can end the relay.
func (r *relay[T]) endsOtherwise() bool {
	return r.timers != nil || r.bounded
}

// ContextEnded implements ctxwatch.Listener.
func (r *relay[T]) ContextEnded(*ctxwatch.Watch) { whenEnded(r.ctx, r.giveUp) }

// Expire implements schedulers.Expirer.
func (r *relay[T]) Expire(*schedulers.Timer) { r.giveUp(context.DeadlineExceeded) }

// giveUp ends the relay before its source.
func (r *relay[T]) giveUp(why error) {
	var zero T
	waiters, _ := r.end(Canceled, zero, &WaitError{Err: why})
	waiters.Deliver(nil)
}

// listing is a registration with a job that any goroutine can withdraw at any time, even
// while it is being made.
type listing[T any] struct {
	node   continuation.Node
	source *Job[T]                    // until the node is delivered or withdrawn
	listed interleave.Pointer[Job[T]] // the same, once the node can be withdrawn
}

// enter registers t with j, to be notified of j's end; false: j has ended, and source is
// set. If leave may be called while enter runs, the caller has to check for that afterwards.
func (l *listing[T]) enter(j *Job[T], t continuation.Target) bool {
	l.source = j
	l.node.Prepare(t)
	if !j.core.waiting.Add(&l.node) {
		return false
	}
	interleave.StorePointer(&l.listed, j)
	return true
}

// leave withdraws the node. If that fails, the node was not there, or is being delivered.
func (l *listing[T]) leave() {
	if j := interleave.SwapPointer(&l.listed, nil); j != nil && j.core.waiting.Remove(&l.node) {
		l.source = nil
	}
}

// takeDelivered returns the job that has ended, and forgets it.
func (l *listing[T]) takeDelivered() *Job[T] {
	j := l.source
	l.source = nil
	interleave.StorePointer(&l.listed, nil)
	return j
}

// WaitAsync returns a job that ends as j does, or is Canceled with a *[WaitError] when
// ctx ends first. It is [Job.Wait] for callers that must not block: ctx bounds the wait
// and not the job, which continues and keeps nothing of the wait. If there is nothing to
// bound, because j has ended or ctx never ends, WaitAsync returns j itself. For a
// Created j the returned job has faulted with [ErrNotStarted].
func WaitAsync[T any](ctx context.Context, j *Job[T]) *Job[T] {
	if ctx == nil {
		ctx = context.Background()
	}
	if known := withoutWaiting(ctx, j); known != nil {
		return known
	}
	if !ctxwatch.OriginOf(ctx).CanEnd() {
		return j
	}
	r := &relay[T]{ctx: ctx, bounded: bounded(ctx, current(ctx))}
	r.promise.job.core.initDependent()
	r.watchSource(j).Deliver(nil)
	r.watchContext(r)
	return &r.promise.job
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
		return failedWait[T](context.DeadlineExceeded)
	}
	r := &relay[T]{ctx: ctx, timers: timersOf(ctx)}
	r.promise.job.core.initDependent()
	r.watchSource(j).Deliver(nil)
	r.watchContext(r)
	r.watchTime(d)
	return &r.promise.job
}

// withoutWaiting returns the result of a wait for j that needs no waiting, or nil.
func withoutWaiting[T any](ctx context.Context, j *Job[T]) *Job[T] {
	switch {
	case j == nil:
		return FromError[T](ErrNilJob)
	case j.core.isCompleted():
		return j
	case j.Status() == Created:
		return FromError[T](ErrNotStarted)
	case ctx.Err() != nil:
		return failedWait[T](contextError(ctx))
	}
	return nil
}

func failedWait[T any](why error) *Job[T] {
	var zero T
	return newCompleted(Canceled, zero, &WaitError{Err: why})
}

// Unwrap returns a job that ends as the job that j yields: with the same value, error
// and status. If j itself fails, it ends as j did; if j yields nil, it has Faulted with
// [ErrNilJob]; if it yields the Unwrap itself or what waits for it, with a
// *[CycleError]. When ctx ends before that, it is Canceled with a *[WaitError], and
// neither job keeps it. Jobs that are Created are started.
func Unwrap[T any](ctx context.Context, j *Job[*Job[T]]) *Job[T] {
	if ctx == nil {
		ctx = context.Background()
	}
	if j == nil {
		return FromError[T](ErrNilJob)
	}
	if !j.core.isCompleted() && ctx.Err() != nil {
		return failedWait[T](contextError(ctx))
	}
	j.core.startIfCreated()
	u := &unwrap[T]{}
	u.ctx, u.bounded = ctx, bounded(ctx, current(ctx))
	u.promise.job.core.initDependent()
	if u.outer.unwrap = u; !u.outer.enter(j, &u.outer) {
		u.outer.Completed(nil).Deliver(nil)
	}
	u.watchContext(u)
	if u.hasEnded() {
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
	unwrap *unwrap[T]
}

// Completed implements continuation.Target: the outer job has ended.
func (h *outerHalf[T]) Completed(schedulers.Worker) continuation.Chain {
	j := h.takeDelivered()
	if inner := j.value; j.Status() == Completed && inner != nil {
		return h.unwrap.watchInner(inner)
	}
	final, err := j.Status(), j.core.err()
	if final == Completed {
		final, err = Faulted, ErrNilJob
	}
	var zero T
	waiters, won := h.unwrap.end(final, zero, err)
	if won {
		j.core.observeFailure()
	}
	return waiters
}

// watchInner begins the second half. If the inner job is the Unwrap itself, or waits
// for it, neither would ever end. As everywhere, the search for such a cycle comes after
// the Unwrap is registered as a waiter.
func (u *unwrap[T]) watchInner(inner *Job[T]) continuation.Chain {
	inner.core.startIfCreated()
	waiters := u.watchSource(inner)
	if err := findCycle(&u.promise.job.core, coreIn(inner)); err != nil {
		var zero T
		ended, _ := u.end(Faulted, zero, err)
		waiters = waiters.Join(ended)
	}
	return waiters
}

func (h *outerHalf[T]) waitingJob() (*core, string) { return h.unwrap.waitingJob() }

func (u *unwrap[T]) waitingJob() (*core, string) { return &u.promise.job.core, "Unwrap" }

// ContextEnded implements ctxwatch.Listener.
func (u *unwrap[T]) ContextEnded(w *ctxwatch.Watch) {
	u.relay.ContextEnded(w)
	u.outer.leave()
}
