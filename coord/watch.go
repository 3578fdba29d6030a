package coord

import (
	"context"

	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// Watch holds a value of which only the latest version matters: a configuration, the
// progress of some work, the state of a connection. [Watch.Set] replaces it and never
// waits. An [Observer] waits for a version that it has not seen, and skips versions that
// were replaced before that. [NewWatch] makes a Watch; the zero Watch holds the zero
// value of T.
//
// A Watch keeps no list of its observers and no old versions, so an observer that is no
// longer used need not be closed, and a slow one costs nothing. If each element counts,
// use a [Broadcast].
//
// It is tokio's watch channel, and Kotlin's StateFlow without the comparison of values.
type Watch[T any] struct {
	mu      interleave.Mutex
	value   T
	version uint64 // of value
	closed  error  // nil: open
	waiting queue
}

// NewWatch returns a watch that holds v.
func NewWatch[T any](v T) *Watch[T] { return &Watch[T]{value: v} }

// Set replaces the value, and lets all waiting observers continue with it. If the watch is
// closed, it returns an error that matches [ErrClosed] and the cause.
func (w *Watch[T]) Set(v T) error {
	w.mu.Lock()
	if err := w.closed; err != nil {
		w.mu.Unlock()
		return err
	}
	w.value = v
	w.version++
	var decided outcomes
	for !w.waiting.empty() {
		waiter := w.waiting.pop()
		waiter.host.(*observer[T]).seen = w.version
		callOf[T, job.Void](waiter).value = v
		decided.add(waiter)
	}
	w.mu.Unlock()
	decided.deliver(nil)
	return nil
}

// Value returns the latest value, even of a closed watch.
func (w *Watch[T]) Value() T {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.value
}

// Observe returns an observer that has seen the current value: its Next waits for a later
// one.
func (w *Watch[T]) Observe() *Observer[T] {
	w.mu.Lock()
	defer w.mu.Unlock()
	return &Observer[T]{observer[T]{watch: w, seen: w.version}}
}

// Close is [Watch.CloseCause] without a cause.
func (w *Watch[T]) Close() { w.CloseCause(nil) }

// CloseCause closes the watch: the value no longer changes. Observers still get the last
// version if they have not seen it, and then an error that matches [ErrClosed] and
// cause. Closing again does nothing.
func (w *Watch[T]) CloseCause(cause error) {
	err := closedError(cause)
	w.mu.Lock()
	var decided outcomes
	if w.closed == nil {
		w.closed = err
		decided = w.waiting.serveAll(err)
	}
	w.mu.Unlock()
	decided.deliver(nil)
}

// Observer waits for new versions of a [Watch]. It is made by [Watch.Observe]. Goroutines
// that share an observer share its record of seen versions; a goroutine that wants to
// see each version itself needs its own observer.
type Observer[T any] struct{ hiddenObserver[T] }

// observer is an Observer as its entry sees it; see entered.go for the two names.
type observer[T any] struct {
	watch *Watch[T]
	seen  uint64 // the version; guarded by the watch's lock
}

type hiddenObserver[T any] = observer[T]

// Next returns the latest value, once there is one that this observer has not seen. It
// returns the reason why ctx ended, or [ErrClosed] if the watch is closed and its last
// value has been seen. It blocks; its twin is [Observer.NextAsync].
func (o *Observer[T]) Next(ctx context.Context) (T, error) {
	budget.Yield()
	ctx, err := checkContext(ctx)
	if err != nil {
		var none T
		return none, err
	}
	v, mustWait, err := o.poll()
	if mustWait {
		return wait[T](ctx, &o.hiddenObserver, job.Void{})
	}
	return v, err
}

// NextAsync returns a job that completes with the latest value, is Canceled when ctx ends
// first, or has faulted with an error of [Observer.Next].
func (o *Observer[T]) NextAsync(ctx context.Context) *job.Job[T] {
	ctx, err := checkContext(ctx)
	if err != nil {
		return promise.Failed[T](ctx, err)
	}
	v, mustWait, err := o.poll()
	switch {
	case mustWait:
		return waitAsync[T](ctx, &o.hiddenObserver, job.Void{})
	case err != nil:
		return job.FromError[T](err)
	}
	return job.FromResult(v)
}

// NextEnter is [Observer.Next] as generated machines call it.
func (o *observer[T]) NextEnter(r *statemachine.Run, ctx context.Context) (*statemachine.Waiting[T], T, error) {
	ctx, err := checkContext(ctx)
	if err != nil {
		var none T
		return endEntry[job.Void](r, o, none, err)
	}
	v, mustWait, err := o.poll()
	if mustWait {
		return enterWait[T](r, ctx, o, job.Void{}), v, nil
	}
	return endEntry[job.Void](r, o, v, err)
}

// TryNext returns the latest value if this observer has not seen it. Otherwise it
// returns [ErrEmpty], or [ErrClosed] if there will be no later value.
func (o *Observer[T]) TryNext() (T, error) {
	v, mustWait, err := o.poll()
	if mustWait {
		return v, ErrEmpty
	}
	return v, err
}

// poll takes the latest value if it is new, or reports that it must wait.
func (o *observer[T]) poll() (v T, mustWait bool, err error) {
	o.watch.mu.Lock()
	defer o.watch.mu.Unlock()
	return o.take()
}

func (o *observer[T]) take() (v T, mustWait bool, err error) {
	w := o.watch
	switch {
	case o.seen != w.version:
		o.seen = w.version
		return w.value, false, nil
	case w.closed != nil:
		return v, false, w.closed
	}
	return v, true, nil
}

func (o *observer[T]) guard() *interleave.Mutex { return &o.watch.mu }

func (o *observer[T]) admit(w *waiter) (decided outcomes) {
	v, mustWait, err := o.take()
	if mustWait {
		o.watch.waiting.push(w)
		return decided
	}
	callOf[T, job.Void](w).value, w.err = v, err
	decided.add(w)
	return decided
}

func (o *observer[T]) cancel(w *waiter) outcomes { return o.watch.waiting.cancel(w) }

// waitName names what an observer waits for.
func (o *observer[T]) waitName() string { return typeName((*Watch[T])(nil)) + ".Next" }
