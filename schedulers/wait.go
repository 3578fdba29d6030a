package schedulers

import "context"

// Pumper is a [Worker] that can do other work of its scheduler on its goroutine, or let others have their turn, until
// something has happened: the thread of an event loop, a place in a simulation.
type Pumper interface {
	// Pump waits until done is closed, which is nil, or until ctx ends, which is its cause. An error that wraps
	// [ErrWouldDeadlock] says that neither will ever happen, as far as the scheduler knows. home is that of
	// [HomeBlocker], or nil.
	//
	// Since a hint may be wrong, a call that comes from some other goroutine only waits.
	Pump(ctx context.Context, home Scheduler, done <-chan struct{}) error
}

// Wait waits on the calling goroutine, which believes to be the worker by (nil: none), until done is closed, which is nil,
// or until ctx ends, which is its cause. The worker is told in the best way that it understands: it is asked to
// pump, or told that it blocks, and it may refuse with an error that wraps [ErrWouldDeadlock].
//
// home is the scheduler whose work will close done, if that is certain, and else nil; see [HomeBlocker]. A nil ctx
// never ends. It is for waits in work that its scheduler shall know of:
//
//	err := schedulers.Wait(ctx, schedulers.WorkerFrom(ctx), nil, closed)
func Wait(ctx context.Context, by Worker, home Scheduler, done <-chan struct{}) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if p, ok := by.(Pumper); ok {
		return p.Pump(ctx, home, done)
	}
	unblock, err := block(by, home, done)
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
		return context.Canceled // a context of somebody's that is done and does not say why
	}
}

func block(by Worker, home Scheduler, done <-chan struct{}) (unblock func(), err error) {
	if home != nil {
		if b, ok := by.(HomeBlocker); ok {
			return b.BlockFor(home, done)
		}
	}
	if b, ok := by.(Blocker); ok {
		return b.Block()
	}
	return func() {}, nil
}
