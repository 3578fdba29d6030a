package schedulers

import (
	"context"
	"runtime"
)

// Pumper is a [Worker] that, while it waits for an event, can run other work of
// its scheduler on its goroutine or let other work items have their turn.
// Examples are the thread of an event loop and a slot in a simulation.
type Pumper interface {
	// Pump waits until done is closed, and returns nil, or until ctx ends, and returns
	// its cause. An error that wraps [ErrWouldDeadlock] means that neither will ever
	// happen, as far as the scheduler knows. home has the meaning of [HomeBlocker], or
	// is nil. If [Yields] is true of ctx, the caller wants queued work to run first.
	//
	// Since a hint may be wrong, a call from another goroutine only waits.
	Pump(ctx context.Context, home Scheduler, done <-chan struct{}) error
}

// Wait waits on the calling goroutine, which believes it is the worker w, until done is
// closed, and returns nil, or until ctx ends, and returns its cause. It involves the worker
// as far as the worker can help: it calls Pump of a [Pumper], and otherwise announces the
// wait to a [HomeBlocker] or [Blocker]. The worker may refuse with an error that wraps
// [ErrWouldDeadlock]. If w is nil, Wait looks the worker up with [Here], so that a wait
// whose context does not name its worker does not block that worker unnoticed.
//
// home is the scheduler whose work will close done, if that is certain, and nil
// otherwise; see [HomeBlocker]. A nil ctx never ends. Wait is for waits in work that
// the scheduler should know of:
//
//	err := schedulers.Wait(ctx, schedulers.WorkerFrom(ctx), nil, closed)
func Wait(ctx context.Context, w Worker, home Scheduler, done <-chan struct{}) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if w == nil {
		w = Here()
	}
	if w != nil && Observed() {
		defer TellWait(w)()
	}
	if p, ok := w.(Pumper); ok {
		return p.Pump(ctx, home, done)
	}
	if holdsWorker(w) && Yields(ctx) {
		runtime.Gosched()
		return nil
	}
	unblock, err := block(w, home, done)
	if err != nil {
		return err
	}
	defer unblock()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return context.Canceled // a foreign context that is done without a cause
	}
}

func block(w Worker, home Scheduler, done <-chan struct{}) (unblock func(), err error) {
	if home != nil {
		if b, ok := w.(HomeBlocker); ok {
			return b.BlockFor(home, done)
		}
	}
	if b, ok := w.(Blocker); ok {
		return b.Block()
	}
	return func() {}, nil
}

// holdsWorker reports whether a wait on w would hold the worker, perhaps the only one: nothing
// can pump or replace it.
func holdsWorker(w Worker) bool {
	switch w.(type) {
	case nil, Pumper, Blocker:
		return false
	}
	return true
}

// yieldKey is the key of a context whose wait yields.
const yieldKey Key = -1

// yielding is the context of each [Yield].
var yielding = context.WithValue(context.Background(), yieldKey, true)

// Yields reports whether ctx is that of a [Yield]: the work that waits with it wants other
// work to run first. A [Pumper] may then run whatever is queued, in its order. During other
// waits some of that may have to stay queued: it may need a lock that the waiting work
// holds. A nil ctx yields nothing. It does not block.
func Yields(ctx context.Context) bool { return ctx != nil && ctx.Value(yieldKey) != nil }

// Yield queues a turn at s and waits until it comes, on the calling goroutine, which
// believes it is the worker w. So the work that was queued at s before runs first, if s
// serves its queue in order of arrival. w pumps or is replaced meanwhile; if it is neither
// a [Pumper] nor a [Blocker], Yield returns at once, as the turn would never come. If w is
// nil, Yield looks it up with [Here]. It returns nil or the error by which s refuses the
// turn or w the wait.
func Yield(w Worker, s Scheduler) error {
	if w == nil {
		w = Here()
	}
	if holdsWorker(w) {
		runtime.Gosched()
		return nil
	}
	t := turn{make(chan struct{})}
	if err := TrySubmit(s, t, Hint{From: w, Flags: PreferFairness}); err != nil {
		return err
	}
	return Wait(yielding, w, nil, t.came)
}

// turn is a place in a queue.
type turn struct{ came chan struct{} }

// Run implements [Work].
func (t turn) Run(Worker) { close(t.came) }

// Abandon implements [Work].
func (t turn) Abandon(error) { close(t.came) }
