package statemachine

import (
	"context"

	"github.com/movenext/movenext/internal/ctxwatch"
)

// A machine that waits for one thing after the other, all under one context that can end, watches
// that context once (see [ctxwatch.Lasting]). The watch is made by the second of those waits, as
// most machines have no second one. The run has it from the end of a wait to the beginning of the
// next, and what the machine waits for has it meanwhile:
//
//	the first wait     watched for itself        KeepWatch(nil): there was one
//	the second wait    Watch makes it            KeepWatch
//	a further wait     Watch returns it          KeepWatch
//
// It ends when the chain suspends in another way, or ends: no machine that cannot be told has a
// watch, so none is left when a chain is never resumed. It is tempting to keep it in the chain.
// That would take eight bytes of each of a million sleepers, and a chain that is dropped while
// it waits for something else would leave its watch to the context.

// once is the watch of a run whose last wait had one for itself.
var once = new(ctxwatch.Lasting)

// Watch returns the watch of ctx that the machine keeps, for a wait that is about to begin; done
// is the context's Done channel, which is not nil. Nil says that the wait has to watch the context
// for itself. It is for operations, like [Run.Keep]. It runs code of the context.
func (r *Run) Watch(ctx context.Context, done <-chan struct{}) *ctxwatch.Lasting {
	l := r.watch
	switch {
	case l == nil:
		return nil
	case l.Watches(done):
		r.watch = nil
		return l
	}
	r.watch = nil
	if l == once || !l.Stop() {
		l = new(ctxwatch.Lasting)
	}
	l.Start(ctx, done)
	return l
}

// KeepWatch keeps a watch, in which nothing waits any more, for the machine's next wait; nil says
// that the wait had a watch of its own.
func (r *Run) KeepWatch(l *ctxwatch.Lasting) {
	if l == nil {
		l = once
	}
	r.watch = l
}

// unwatch ends the watch that is kept.
func (r *Run) unwatch() {
	if r.watch != once {
		r.watch.Stop()
	}
	r.watch = nil
}
