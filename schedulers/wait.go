package schedulers

import (
	"context"
	"runtime"

	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/internal/probe"
)

// Pumper is a [Worker] that, while it waits for an event, can run other work of
// its scheduler on its goroutine or let other work items have their turn.
// Examples are the thread of an event loop and a slot in a simulation.
type Pumper interface {
	// Pump waits until done is closed, and returns nil, or until ctx ends, and returns
	// its cause. An error that wraps [ErrWouldDeadlock] means that neither will ever
	// happen, as far as the scheduler knows. home is the scheduler
	// whose work will close done, or nil if that is not certain.
	//
	// Since a hint may be wrong, a call from another goroutine only waits.
	Pump(ctx context.Context, home Scheduler, done <-chan struct{}) error
}

// Wait waits on the calling goroutine, which believes it is the worker w, until done is
// closed, and returns nil, or until ctx ends, and returns its cause. It involves the worker
// as far as the worker can help: it calls Pump of a [Pumper], and otherwise announces the
// wait to a [Blocker]. The worker may refuse with an error that wraps
// [ErrWouldDeadlock]. If w is nil, Wait looks the worker up with [Here], so that a wait
// whose context does not name its worker does not block that worker unnoticed.
//
// home is the scheduler whose work will close done, if that is certain, and nil
// otherwise; see [Blocker]. A nil ctx never ends. Wait is for waits in work that
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
	if w != nil && probe.On(probe.Events) {
		defer tellPause(w, Blocked, Unblocked)()
	}
	if p, ok := w.(Pumper); ok {
		return p.Pump(ctx, home, done)
	}
	if holdsWorker(w) && contract.Yields(ctx) {
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

// homeBlocker is a [Blocker] that wants to know which scheduler's work ends the wait.
type homeBlocker interface {
	BlockFor(home Scheduler, done <-chan struct{}) (unblock func(), err error)
}

func block(w Worker, home Scheduler, done <-chan struct{}) (unblock func(), err error) {
	if home != nil {
		if b, ok := w.(homeBlocker); ok {
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
