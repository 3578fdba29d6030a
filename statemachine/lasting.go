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

// Watch starts t, the watch of a wait that is about to begin: e is told when ctx ends. done is the
// Done channel of ctx, and not nil. It is for operations, like [Run.Keep], and runs code of the
// context.
func (r *Run) Watch(ctx context.Context, done <-chan struct{}, t *ctxwatch.Turn, e ctxwatch.Ender) {
	t.Start(ctx, r.lasting(ctx, done), e)
}

// lasting returns the watch that r keeps, which watches ctx then; nil: none was kept.
func (r *Run) lasting(ctx context.Context, done <-chan struct{}) *ctxwatch.Lasting {
	l := r.watch
	r.watch = nil
	if l == nil || l.Watches(done) {
		return l
	}
	if l == once || !l.Stop() {
		l = new(ctxwatch.Lasting)
	}
	l.Start(ctx, done)
	return l
}

// KeepWatch keeps the watch of a wait that is over, which was stopped in time, for the machine's
// next one.
func (r *Run) KeepWatch(t *ctxwatch.Turn) {
	if r.watch = t.Leave(); r.watch == nil {
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
