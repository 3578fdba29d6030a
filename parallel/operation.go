package parallel

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/internal/errtree"
	"github.com/movenext/movenext/internal/labels"
	"github.com/movenext/movenext/internal/promise"
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
// The caller gets the first of these, and what else went wrong until the last body had
// ended, joined: a body that is canceled may fail to flush its data. Two kinds of later
// errors add no information, and are dropped: those that say that the bodies' context has
// ended and nothing else, and those that the first one contains already. Returning the
// first error alone, as errgroup does, would make it a matter of the schedule whether the
// caller hears that the data was not flushed, or only that its own context has ended.
//
// # Goexit
//
// A body that calls runtime.Goexit on the caller's goroutine ends that goroutine, which
// cannot be prevented. A Goexit on a helper's goroutine has the same meaning, so the
// caller exits too, once all bodies have ended. Thus it makes no difference which
// goroutine a body happened to run on, and t.FailNow works in a body as it does in a
// plain loop. If a panic begins during the exit, For has recovered it, so the exit continues: the
// panic cannot be returned, and is reported to [job.OnUnobserved].
type operation struct {
	parent context.Context
	home   *schedulers.Home
	caller schedulers.Worker // the caller's, according to parent
	labels *labels.Labels    // of parent; nil: none

	machine bool // a machine calls it, which can suspend

	stopped atomic.Bool
	ended   atomic.Bool // the operation is over
	real    atomic.Pointer[realContext]

	mu     sync.Mutex
	errs   []error
	goexit bool
}

// begin sets the fields that an operation begins with. It returns an error if it
// cannot.
func (o *operation) begin(ctx context.Context) error {
	if c, ok := ctx.(byMachine); ok {
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
	o.labels = labels.Of(ctx)
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
		labels.Clear()
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

// contained calls f, which calls user functions. If f panics, it stops the operation and returns
// false. If f calls runtime.Goexit, it stops the operation and does not return: a panic that
// began during the exit, and was recovered here, does not end that.
func (o *operation) contained(f func()) (returned bool) {
	exits := true
	defer func() {
		if exits {
			o.stopForGoexit()
		}
	}()
	returned = o.recovered(f)
	exits = false
	return returned
}

// recovered is contained for the panics.
func (o *operation) recovered(f func()) (returned bool) {
	defer func() {
		if v := recover(); v != nil {
			o.stopForPanic(promise.Panic(v))
		}
	}()
	f()
	return true
}

// stopForPanic stops the operation because a function has panicked.
func (o *operation) stopForPanic(err *job.PanicError) { o.stop(o.note(err, true), err) }

// stopForGoexit stops the operation because a function called runtime.Goexit.
func (o *operation) stopForGoexit() {
	o.mu.Lock()
	first := len(o.errs) == 0 && !o.goexit
	o.goexit = true
	o.mu.Unlock()
	o.stop(first, job.ErrGoexit)
}

// note records an error, unless it adds nothing to those before it, and reports whether
// nothing has stopped the operation before. A panic always adds something.
func (o *operation) note(err error, panicked bool) (first bool) {
	known := !panicked && o.isEnd(err) // calls methods of errors and contexts: not under the lock
	o.mu.Lock()
	defer o.mu.Unlock()
	first = len(o.errs) == 0 && !o.goexit
	if len(o.errs) == 0 || !known {
		o.errs = append(o.errs, err)
	}
	return first
}

// isEnd reports whether err is how the operation has ended, and nothing else.
func (o *operation) isEnd(err error) bool {
	if endedBy(o.parent, err) {
		return true
	}
	if r := o.real.Load(); r != nil && endedBy(r, err) {
		return true
	}
	o.mu.Lock()
	errs := o.errs
	o.mu.Unlock()
	return len(errs) > 0 && errtree.ConsistsOf(err, errs[0]) // whose stop has not canceled the context yet
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

// endForCaller is end for an operation that returns its error. If its caller exits, it does
// not, and a panic is reported to [job.OnUnobserved] instead.
func (o *operation) endForCaller() {
	o.end()
	goexit, err := o.outcome()
	if _, panicked := errors.AsType[*job.PanicError](err); goexit && panicked {
		job.FromError[job.Void](err)
	}
}

// outcome returns the failure of the operation, after all bodies have ended.
func (o *operation) outcome() (goexit bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.errs) == 1 {
		return o.goexit, o.errs[0]
	}
	return o.goexit, errors.Join(o.errs...)
}
