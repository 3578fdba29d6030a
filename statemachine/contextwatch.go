package statemachine

import (
	"context"

	"github.com/movenext/movenext/internal/ctxwatch"
)

// A machine that makes several waits, all under one context that can end, watches that
// context only once (see [ctxwatch.SharedWatch]). The second of those waits makes the watch, as
// most machines have no second one. The run keeps the watch from the end of a wait to the
// beginning of the next, and the operation that the machine waits for has it meanwhile:
//
//	the first wait     has its own watch         KeepWatch(nil): there was one
//	the second wait    Watch makes it            KeepWatch
//	a further wait     Watch returns it          KeepWatch
//
// The watch ends when the chain suspends in another way, or ends. So only a machine that
// can be notified of the end of its context has a watch, and none is left behind when a
// chain is never resumed. It is tempting to keep the watch in the chain. That would cost
// eight bytes in each of a million sleepers, and a chain that is dropped during another
// kind of wait would leave its watch registered with the context.

// once marks a run whose last wait had its own watch.
var once = new(ctxwatch.SharedWatch)

// Watch starts t, the watch of a wait that is about to begin: e is notified when ctx
// ends. o is the origin of ctx, which can end. Like [Run.Keep], Watch is for
// operations. It runs code of the context.
func (r *Run) Watch(ctx context.Context, o ctxwatch.Origin, t *ctxwatch.WaitWatch, e ctxwatch.Listener) {
	t.Start(ctx, r.takeWatch(ctx, o), e)
}

// takeWatch returns the watch that r keeps, and makes it watch ctx; nil: none was kept.
func (r *Run) takeWatch(ctx context.Context, o ctxwatch.Origin) *ctxwatch.SharedWatch {
	l := r.watch
	r.watch = nil
	if l == nil || l.Watches(o) {
		return l
	}
	if l == once || !l.Stop() {
		l = new(ctxwatch.SharedWatch)
	}
	l.Start(ctx)
	return l
}

// KeepWatch keeps the watch of a wait that is over, which was stopped in time, for the
// machine's next wait.
func (r *Run) KeepWatch(t *ctxwatch.WaitWatch) {
	if r.watch = t.TakeShared(); r.watch == nil {
		r.watch = once
	}
}

// unwatch ends the watch that is kept. It is part of every suspension, so it has to be inlined,
// and endWatch must not be.
func (r *Run) unwatch() {
	if r.watch != nil {
		r.endWatch()
	}
}

//go:noinline
func (r *Run) endWatch() {
	if r.watch != once {
		r.watch.Stop()
	}
	r.watch = nil
}
