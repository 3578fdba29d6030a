// Package observed raises an event for each failure of the work that runs on it, over
// any scheduler: a panic, a runtime.Goexit, an error that the work reports. Other work
// continues.
//
// Other schedulers survive failing work, and report nothing. That is right for a
// scheduler that knows nothing of its user, and wrong for a program that has a log:
//
//	s := observed.New(pool.New(), func(e observed.Event) { log.Print(e) })
//
// # What raises an event
//
// A panic or a Goexit that leaves [schedulers.Work] raises one. A job recovers the panic
// of its function, since it becomes the job's error, and reports it to its worker. So a
// panicking job raises an event too, whether it is plain or a machine. (The first step of
// a twin runs on the goroutine of its caller, so a panic in that step raises the event in
// the caller's job, not in the twin's.) An error raises none: the scheduler does not see
// it, and it need not be a failure. A function whose errors are failures calls [Report],
// or is wrapped by [Errors]:
//
//	job.Run(ctx, observed.Errors(fn))
//
// # The goroutine of an event
//
// The event is raised on the goroutine of the failed work, before the work is counted
// as ended: a Shutdown returns after the last event. A panic then continues to the
// scheduler beneath, with the frames of its origin still on the stack.
package observed

import (
	"context"
	"errors"
	"fmt"

	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
)

// ErrGoexit is the error of events about work that has called runtime.Goexit.
var ErrGoexit = errors.New("observed: work called runtime.Goexit")

// Event is one failure of one work item.
type Event struct {
	// Err is the failure, and never nil: a *[PanicError], [ErrGoexit], or the error
	// that was reported.
	Err error

	// Worker is the ID of the worker on which the work runs.
	Worker int
}

// String returns the event as one line of a log.
func (e Event) String() string { return fmt.Sprintf("worker %d: %v", e.Worker, e.Err) }

// PanicError is a panic as an error.
type PanicError struct {
	Value any    // what panic was called with
	Stack []byte // of the goroutine, including the call of panic
}

// Error implements error. It does not contain the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the value if it is an error, or nil.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// publicMethods holds the methods that all shims share; see the comment of Scheduler.
type publicMethods = shim.PublicMethods

// Scheduler raises events. Make one with [New]. All methods are safe for
// concurrent use.
//
// Besides [schedulers.Scheduler] it implements Layered, Shutdowner, Consenter, Timers
// (those of the scheduler beneath, if it has any), Snapshotter, Limiter (the limit of
// the scheduler beneath) and Meter, and its workers implement HomeBlocker and Pumper.
type Scheduler struct {
	publicMethods
	through shim.Passthrough
	over    schedulers.Scheduler
	handle  schedulers.Hook[Event]
}

// New returns a scheduler that runs work on over and calls handle for each failure. A
// nil over refuses all work; a nil handle is never called.
//
// handle is called on the goroutine of the failed work, so it must be safe for
// concurrent use and should not take long. A panic in it is contained: see
// [schedulers.Hook].
func New(over schedulers.Scheduler, handle func(Event)) *Scheduler {
	s := &Scheduler{over: over, handle: schedulers.NewHook("observed.New", handle)}
	s.through.Init("observed", s, over)
	s.publicMethods.Passthrough = &s.through
	return s
}

// Submit accepts w, or refuses it: with [schedulers.ErrShutdown] after Shutdown, with
// [schedulers.ErrRejected] if w is nil, and with the error of the scheduler beneath if
// that refuses. Hints are passed on. It blocks, or runs work in place, only if Submit
// of the scheduler beneath does. A refusal is not an event: the submitter gets it as an
// error.
func (s *Scheduler) Submit(w schedulers.Work, from schedulers.Hint) error {
	v := &observedWorker{}
	if err := s.through.Accept(&v.Item, nil, w); err != nil {
		return err
	}
	return s.through.Send(v, &v.Item, from)
}

// Shutdown refuses all further work, runs the accepted work, and returns nil when the
// last of it has ended. If ctx ends first, work that has not begun is abandoned with
// [schedulers.ErrShutdown] and the cause of ctx is returned. The scheduler beneath is
// not shut down. It blocks, and may be called any number of times, also concurrently. A
// nil ctx never ends.
func (s *Scheduler) Shutdown(ctx context.Context) error { return s.publicMethods.Shutdown(ctx) }

// MayRunInPlace reports whether the scheduler beneath consents. A panic or a Goexit of work
// that is run in place reaches the waiter that runs it.
func (s *Scheduler) MayRunInPlace(w schedulers.Work, caller schedulers.Worker) bool {
	return shim.MayRunInPlace(s.over, w, caller)
}

// MaxConcurrency returns the limit of the scheduler beneath, or 0.
func (s *Scheduler) MaxConcurrency() int { return shim.MaxConcurrency(s.over) }

// raise calls the handler.
func (s *Scheduler) raise(e Event) { s.handle.Call(e) }
