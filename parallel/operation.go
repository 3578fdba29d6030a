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

// operation is what all operations share: where they run, the context of their bodies,
// and what has gone wrong.
//
// # What stops an operation
//
//	a body returned an error     ─┐
//	a body panicked               ├─▶ stopped: no other body begins,
//	a body called runtime.Goexit  │   and the bodies' context is canceled
//	the caller's context ended   ─┘
//
// The caller gets the first of these, with one exception: a panic is never hidden
// behind an error that came first, but joined to it. Errors that come later are usually
// what canceling did to the other bodies, and say nothing new.
//
// # Goexit
//
// A body that calls runtime.Goexit on the caller's goroutine ends that goroutine, which
// cannot be prevented. One that does it on a helper's goroutine means the same, so the
// caller exits too, once all bodies have ended. Which goroutine a body happened to run
// on then makes no difference, and t.FailNow works in a body as it does in a plain
// loop.
type operation struct {
	parent context.Context
	home   *schedulers.Home
	by     schedulers.Worker  // the caller's, by the word of parent
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
	o.by = schedulers.WorkerFrom(ctx)
	o.home = ambient.Home(ctx)
	o.labels = schedulers.LabelsOf(ctx)
	return nil
}

// label gives a helper's goroutine the labels that the profiler shows for the operation,
// and unlabel takes them away.
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

// goesOn reports whether another body may begin.
//
// The parent is asked for its Err and not for its Done channel, which many
// contexts make only on demand.
func (o *operation) goesOn() bool {
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
func (o *operation) fail(err error) {
	o.mu.Lock()
	first := o.err == nil && !o.goexit
	if o.err == nil {
		o.err = err
	}
	o.mu.Unlock()
	o.stop(first, err)
}

// contain is deferred around code that calls user functions. If that has not returned,
// it stops the operation.
func (o *operation) contain(returned *bool) {
	if !*returned {
		o.crashed(recover())
	}
}

// crashed stops the operation because a function panicked with v, or called
// runtime.Goexit if v is nil.
func (o *operation) crashed(v any) {
	if v == nil {
		o.exited()
		return
	}
	err := promise.Panic(v)
	o.mu.Lock()
	first := o.err == nil && !o.goexit
	if o.err == nil {
		o.err = err
	} else {
		o.err = errors.Join(o.err, err)
	}
	o.mu.Unlock()
	o.stop(first, err)
}

// exited stops the operation because a function called runtime.Goexit.
func (o *operation) exited() {
	o.mu.Lock()
	first := o.err == nil && !o.goexit
	o.goexit = true
	o.mu.Unlock()
	o.stop(first, job.ErrGoexit)
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

// outcome returns what went wrong, after all bodies have ended.
func (o *operation) outcome() (goexit bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.goexit, o.err
}
