package job

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/panics"
	"github.com/movenext/movenext/schedulers"
)

var (
	// ErrNotStarted is returned by Wait on a job that was made by [New] and not
	// started: it may never be.
	ErrNotStarted = errors.New("job: not started")

	// ErrStarted is returned by Start on a job that was already started or canceled, or
	// that cannot be started.
	ErrStarted = errors.New("job: already started")

	// ErrNilJob is the error of awaiting a nil job, and of combining one.
	ErrNilJob = errors.New("job: nil job")

	// ErrNilFunc is the error of a job made with a nil function.
	ErrNilFunc = errors.New("job: nil function")

	// ErrNilScheduler is the error of a nil scheduler where one must be named.
	ErrNilScheduler = errors.New("job: nil scheduler")

	// ErrOption is the error of an option where it makes no sense: a filter without an
	// antecedent, a name for a job that has started.
	ErrOption = errors.New("job: option does not apply here")

	// ErrFiltered is the error of a continuation whose filter does not admit the outcome
	// of its antecedent. The continuation is Canceled, so its error matches
	// context.Canceled too.
	ErrFiltered = errors.New("job: continuation is not for this outcome")

	// ErrPulling is the error of [Puller.Next] while an earlier one waits.
	ErrPulling = errors.New("job: another Next has not ended")

	// ErrDropped is the error of a [Failure] of a [Source] that was dropped before it was
	// completed.
	ErrDropped = errors.New("job: the source was dropped and never completed")

	// ErrScopeEnded is the error of a child started in a scope that has ended.
	ErrScopeEnded = errors.New("job: scope has ended")

	// ErrNoJobs is the error of [WhenAny] and [Race] without jobs, and of
	// [Completions.Next] after the last job or Stop.
	ErrNoJobs = errors.New("job: no jobs")

	// ErrGoexit is the error of a job whose function called runtime.Goexit, as
	// testing.T.FailNow does.
	ErrGoexit = errors.New("job: function called runtime.Goexit")

	// ErrShutdown is schedulers.ErrShutdown: the job's scheduler has ended.
	ErrShutdown = schedulers.ErrShutdown

	// ErrRejected is schedulers.ErrRejected: the job's scheduler has refused it.
	ErrRejected = schedulers.ErrRejected

	// ErrWouldDeadlock is schedulers.ErrWouldDeadlock: waiting could never end.
	ErrWouldDeadlock = schedulers.ErrWouldDeadlock

	// ErrCycle is matched by the error of a wait that could never end because it closes a
	// cycle of jobs that wait for each other; see [CycleError].
	ErrCycle = fmt.Errorf("job: cycle of waits: %w", ErrWouldDeadlock)
)

// WaitError reports that a wait has ended although its job has not: either the context
// of the wait ended ([context.Canceled], [context.DeadlineExceeded] or its cause), or
// the wait would never have ended ([ErrWouldDeadlock]). The job continues; an error of
// the job itself is never a WaitError of that wait.
type WaitError struct{ Err error }

// Error implements error.
func (e *WaitError) Error() string {
	if e.Err == nil {
		return "job: wait ended"
	}
	return "job: wait ended: " + e.Err.Error()
}

// Unwrap returns why the wait ended.
func (e *WaitError) Unwrap() error { return e.Err }

// contextError returns the reason why ctx ended: its Err, and its cause too if that adds
// information.
func contextError(ctx context.Context) error { return ctxwatch.Reason(ctx) }

// whenEnded calls f with the reason why ctx ended, for a watch of ctx. If a method of ctx
// panics or calls runtime.Goexit, there is no caller who could see that, and f gets an error
// that says so: whoever waits must not wait forever, and the panic must not end the program.
func whenEnded(ctx context.Context, f func(error)) {
	why := fmt.Errorf("%w: a method of the context called runtime.Goexit", context.Canceled)
	defer func() {
		if v := recover(); v != nil {
			why = fmt.Errorf("%w: a method of the context panicked: %v", context.Canceled, v)
		}
		f(why)
	}()
	why = contextError(ctx)
}

// orDesert calls f, which may call methods of a context or of a scheduler. If f does not
// return, since one of them has panicked or called runtime.Goexit, it calls desert: nobody gets
// what f was to make or to wait for.
func orDesert(desert, f func()) {
	returned := false
	defer func() {
		if !returned {
			desert()
		}
	}()
	f()
	returned = true
}

// refusalError returns the error of a job that its scheduler did not accept.
func refusalError(err error) error {
	return fmt.Errorf("job: not accepted by its scheduler: %w", err)
}

func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// endedBy reports whether err is the error that ctx ended with, and nothing else: the rule
// that distinguishes a canceled job from a faulted one. An error that merely looks like a
// cancellation (of some other context, inside the job) is a fault. So is one that contains
// another failure or a panic: errors.Is is tempting and wrong, since a canceled job is not
// a failure, and errors.Join(ctx.Err(), errFlush) would be lost.
func endedBy(ctx context.Context, err error) bool {
	if ctx == nil || !ctxwatch.EndedBy(ctx, err) {
		return false
	}
	_, panicked := errors.AsType[*PanicError](err)
	return !panicked
}

// PanicError is the error of a job whose function panicked.
//
// It is tempting to let the panic continue in the job's awaiter. But a job may have many
// awaiters or none, possibly much later; a panic that surfaces in all of them or in none
// is neither a crash nor an error. So it becomes an error that keeps the panic's value
// and stack. (A call of a twin is different: exactly one caller waits, so the panic
// continues there as in plain Go.)
type PanicError struct {
	// Value is what was passed to panic. For panic(nil) it is a
	// *runtime.PanicNilError.
	Value any
	// Stack is the stack of the goroutine that panicked, as debug.Stack prints it. If the stack
	// has more than a hundred frames, Stack has the innermost hundred, without arguments.
	Stack []byte
	// Async is the asynchronous stack at that moment: the job that panicked, its waiter,
	// and so on. See [AsyncStack].
	Async []Frame

	written interleave.Bool // to standard error; see OnUnobserved
	exits   bool            // the panic began while the goroutine exited
}

// Internal is for the packages of this module: it returns whether the panic began while the
// goroutine exited, so that a function which continues the panic continues the exit too.
func (p *PanicError) Internal(jobcore.Key) (exits *bool) { return &p.exits }

// newPanicError returns the error for a panic value that was just recovered, with
// the stack of the calling goroutine; call it in the deferred function that
// recovered. A value that already is a *PanicError is returned unchanged.
func newPanicError(value any) *PanicError {
	if p, ok := value.(*PanicError); ok {
		return p
	}
	return &PanicError{Value: value, Stack: panics.Here().Text()}
}

// panicError is newPanicError for a job, before the outcome is published.
func (c *core) panicError(value any) *PanicError {
	p := newPanicError(value)
	if p != value {
		p.Async = c.asyncStack()
	}
	return p
}

// Error implements error. The stacks are not part of it.
func (p *PanicError) Error() string { return fmt.Sprintf("job: panic: %v", p.Value) }

// Format implements fmt.Formatter: the verb %+v prints both stacks below the error; all
// other verbs print the error alone.
func (p *PanicError) Format(f fmt.State, verb rune) {
	if verb != 'v' || !f.Flag('+') {
		_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), p.Error())
		return
	}
	_, _ = fmt.Fprintf(f, "%s\n\n", p.Error())
	p.writeStacks(f)
}

func (p *PanicError) writeStacks(w io.Writer) {
	_, _ = w.Write(p.Stack)
	for i, frame := range p.Async {
		if i > 0 {
			_, _ = fmt.Fprint(w, "awaited by ")
		}
		_, _ = fmt.Fprintln(w, frame)
	}
}

// Unwrap returns the panic's value if it is an error, else nil.
func (p *PanicError) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}
