package observed

import (
	"context"
	"runtime/debug"

	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
)

// observedWorker is a work item that passes through the shim, and the worker that the work sees.
type observedWorker struct{ shim.Item }

func (v *observedWorker) scheduler() *Scheduler { return v.Scheduler().(*Scheduler) }

// Run implements [schedulers.Work].
func (v *observedWorker) Run(on schedulers.Worker) {
	if w := v.Begin(on); w != nil {
		v.Keep(w)
		v.scheduler().through.RunThrough((*reportingWork)(v), v, on, nil)
	}
}

// Abandon implements [schedulers.Work].
func (v *observedWorker) Abandon(reason error) { v.GiveUp(reason) }

// Beneath returns the worker of the scheduler beneath.
func (v *observedWorker) Beneath() schedulers.Worker {
	if v == nil {
		return nil
	}
	return v.Worker.Beneath()
}

// HearPanic implements dispatch.PanicHearer.
func (v *observedWorker) HearPanic(value any, stack []byte) {
	if v != nil {
		v.raise(&PanicError{value, stack})
	}
}

func (v *observedWorker) raise(err error) { v.scheduler().raise(Event{Err: err, Worker: v.ID()}) }

// reportingWork is an observedWorker as the work that runs: it raises events for failures
// before the work is counted as ended.
type reportingWork observedWorker

// About returns the work that events are about; see dispatch.RunTold.
func (w *reportingWork) About() schedulers.Work { return w.Kept() }

// Run implements [schedulers.Work].
func (w *reportingWork) Run(on schedulers.Worker) {
	returned := false
	defer func() {
		w.Keep(nil) // a context that keeps the worker must not keep the work
		if v := recover(); v != nil {
			(*observedWorker)(w).raise(newPanicError(v))
			panic(v)
		}
		if !returned {
			(*observedWorker)(w).raise(ErrGoexit)
		}
	}()
	w.Kept().Run(on)
	returned = true
}

// Abandon implements [schedulers.Work]. Work that runs is not abandoned.
func (w *reportingWork) Abandon(reason error) { w.Kept().Abandon(reason) }

// Report raises an event about err for the work to which ctx belongs, and reports whether
// it did: false means that err is nil, or that the work does not run on a scheduler of
// this package. Shims in between make no difference. It does not block, unless the
// handler does.
func Report(ctx context.Context, err error) bool {
	v, ok := shim.Find[*observedWorker](schedulers.WorkerFrom(ctx))
	if !ok || v == nil || err == nil {
		return false
	}
	v.raise(err)
	return true
}

// Errors returns a function that calls fn and reports an error that fn returns. The caller gets
// the results of fn unchanged. An error that is the end of ctx and nothing else is no failure,
// and is not reported. Errors does nothing about panics: the scheduler sees them, and jobs
// report those that they recover.
func Errors[T any](fn func(context.Context) (T, error)) func(context.Context) (T, error) {
	return func(ctx context.Context) (T, error) {
		result, err := fn(ctx)
		if err != nil && !endOf(ctx, err) {
			Report(ctx, err)
		}
		return result, err
	}
}

// newPanicError returns a PanicError for v. It must be called in the deferred function
// that has recovered v: until that function returns, the frames of the panic are on the
// stack.
func newPanicError(v any) error { return &PanicError{v, debug.Stack()} }

// endOf reports whether err says that ctx has ended, and nothing else.
func endOf(ctx context.Context, err error) bool { return ctx != nil && ctxwatch.EndedBy(ctx, err) }
