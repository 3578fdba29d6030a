package statemachine

import (
	"runtime"

	"github.com/movenext/movenext/internal/panics"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// # A panic on its way through a thousand machines
//
// Plain Go runs the deferred calls of all functions in one walk over the stack. A
// machine has to recover the panic to learn that it ends, and lets the panic continue
// afterwards. The tempting way is to panic again in the deferred function that has
// recovered. But the recovered panic stays on the stack until that function returns:
// each machine adds one, the runtime walks over all of them for each new panic, and a
// thousand machines cost a million steps.
//
// So the deferred function returns, and the frame too. The panic is kept in the Run,
// like that of a resumed callee, and the caller raises it with Rethrow:
//
//	frame with deferred calls              its caller
//	 1. recover, make the deferred calls
//	 2. keep the panic in the Run
//	 3. return finished                     4. Rethrow, one frame further down
//
// The caller is FEnter, FAsync or Loop.More. For a frame that was resumed it is Results, after
// the chain's loop has taken the frame off, as if it had returned, or the root's MoveNext.

// failure describes how a callee ended that did not return, or why an awaited operation
// has no result: the machine's home has refused the machine, the machine would wait for
// itself, or the context of its sleep has ended. In the latter cases refusal is not nil;
// only that distinguishes them from a panic.
type failure struct {
	value   any
	stack   panics.Stack
	async   []job.Frame
	goexit  bool
	refusal error
}

// failureOf returns the failure of a panic that was just recovered. If it was raised
// again, the failure has the stack of the first raise.
func (r *Run) failureOf(v any) *failure {
	if f := r.raised; f != nil && panics.Same(f.value, v) {
		f.value = v // functions that count as one may be two
		return f
	}
	return r.newPanic(v)
}

// newPanic returns the failure of a panic that was raised for the first time just now.
func (r *Run) newPanic(v any) *failure {
	return &failure{value: v, stack: stackOf(v), async: r.asyncStack()}
}

// stackOf returns the stack of a panic that was just recovered. The error of another
// job's panic already has one.
func stackOf(v any) panics.Stack {
	if p, ok := v.(*job.PanicError); ok {
		return panics.Printed(p.Stack)
	}
	return panics.Here()
}

// takePanic returns the panic that ends a frame: v, which its deferred function has
// recovered, or the panic that the previous deferred function has kept in the Run. Nil
// means runtime.Goexit.
func (r *Run) takePanic(v any) *failure {
	if v != nil {
		return r.failureOf(v)
	}
	f := r.failure
	r.failure = nil
	return f
}

// raise raises a panic or a Goexit again, and does nothing for a refusal.
func (r *Run) raise(f *failure) {
	switch {
	case f.goexit:
		runtime.Goexit()
	case f.refusal == nil:
		r.raised = f
		panic(f.value)
	}
}

// err returns the failure as the error of a job.
func (f *failure) err() error {
	if f.goexit {
		return job.ErrGoexit
	}
	if p, ok := f.value.(*job.PanicError); ok {
		return p
	}
	return &job.PanicError{Value: f.value, Stack: f.stack.Text(), Async: f.async}
}

// report reports a panic that ends a job to the scheduler.
func (f *failure) report(worker schedulers.Worker) {
	if !f.goexit {
		schedulers.ReportPanic(worker, f.value, f.stack.Text())
	}
}
