package parallel

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// operation is the common part of all operations: where they run, the context of their
// bodies, and their failures.
//
// # What stops an operation
//
//	a body returned an error     ─┐
//	a body panicked               ├─▶ stopped: no other body begins,
//	a body called runtime.Goexit  │   and the bodies' context is canceled
//	the caller's context ended   ─┘
//
// The caller gets the first of these, with one exception: a panic is never hidden by an
// earlier error, but joined to it. Later errors are usually caused by the cancellation
// of the other bodies, and add no information.
//
// # Goexit
//
// A body that calls runtime.Goexit on the caller's goroutine ends that goroutine, which
// cannot be prevented. A Goexit on a helper's goroutine has the same meaning, so the
// caller exits too, once all bodies have ended. Thus it makes no difference which
// goroutine a body happened to run on, and t.FailNow works in a body as it does in a
// plain loop.
type operation struct {
	parent context.Context
	home   *schedulers.Home
	caller schedulers.Worker  // the caller's, according to parent
	labels *schedulers.Labels // of parent; nil: none

	machine bool // a machine calls it, which can suspend

	stopped atomic.Bool
	ended   atomic.Bool // the operation is over
	real    atomic.Pointer[realContext]

	mu     sync.Mutex
	err    error
	goexit bool
}

// begin sets the fields that an operation begins with. It returns an error if it
// cannot.
func (o *operation) begin(ctx context.Context) error {
	if c, ok := ctx.(suspension.Caller); ok {
		o.machine, ctx = true, c.Context
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if ctx.Err() != nil {
		return contextError(ctx)
	}
	o.parent = ctx
	o.caller = schedulers.WorkerFrom(ctx)
	o.home = ambient.Home(ctx)
	o.labels = schedulers.LabelsOf(ctx)
	return nil
}

// label sets the operation's profiler labels on a helper's goroutine, and unlabel
// removes them.
func (o *operation) label() {
	if o.labels != nil {
		o.labels.Set()
	}
}

func (o *operation) unlabel() {
	if o.labels != nil {
		schedulers.ClearLabels()
	}
}

// continues reports whether another body may begin.
//
// It checks the parent's Err and not its Done channel, which many contexts make only on demand.
func (o *operation) continues() bool {
	if o.stopped.Load() {
		return false
	}
	if o.parent.Err() != nil {
		o.fail(contextError(o.parent))
		return false
	}
	return true
}

// fail stops the operation with an error.
func (o *operation) fail(err error) { o.stop(o.note(err, false), err) }

// contain is deferred around code that calls user functions. If that code has not
// returned, contain stops the operation.
func (o *operation) contain(returned *bool) {
	if !*returned {
		o.stopForPanic(recover())
	}
}

// stopForPanic stops the operation because a function panicked with v, or called
// runtime.Goexit if v is nil.
func (o *operation) stopForPanic(v any) {
	if v == nil {
		o.stopForGoexit()
		return
	}
	err := promise.Panic(v)
	o.stop(o.note(err, true), err)
}

// stopForGoexit stops the operation because a function called runtime.Goexit.
func (o *operation) stopForGoexit() {
	o.mu.Lock()
	first := o.err == nil && !o.goexit
	o.goexit = true
	o.mu.Unlock()
	o.stop(first, job.ErrGoexit)
}

// note records an error if it is the first one or if it must not be hidden by the first one,
// and reports whether nothing has stopped the operation before.
func (o *operation) note(err error, always bool) (first bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	first = o.err == nil && !o.goexit
	switch {
	case o.err == nil:
		o.err = err
	case always:
		o.err = errors.Join(o.err, err)
	}
	return first
}

func (o *operation) stop(first bool, cause error) {
	o.stopped.Store(true)
	if first {
		o.materialize().cancel(cause)
	}
}

// end releases the context: the operation is over.
func (o *operation) end() {
	o.ended.Store(true)
	if r := o.real.Load(); r != nil {
		r.cancel(nil)
	}
}

// outcome returns the failure of the operation, after all bodies have ended.
func (o *operation) outcome() (goexit bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.goexit, o.err
}
