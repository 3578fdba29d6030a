package statemachine

import (
	"runtime"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/panics"
	"github.com/movenext/movenext/internal/promise"
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

// # It isn't that easy: a panic while the goroutine exits
//
// During a runtime.Goexit a deferred call may panic, and a function further down may recover
// that. In plain Go the Goexit then continues: the function that has recovered does not return
// to its caller. So a deferred function that has recovered a panic does not know whether its
// function will return. The tempting rule "it has recovered something, so control returns" loses
// the machine: the rest of the chain, its deferred calls, its job.
//
// Go has no means to ask. But control either returns or it does not, and in the second case the
// next thing that runs is the deferred function of a caller, which finds its own function
// running and recovers nothing. So a deferred function that has recovered leaves the rest to
// whoever comes next:
//
//	the deferred function        control returns         it does not
//	 keeps the panic in the Run   Rethrow raises it       the caller's keeps it (ended), down
//	                                                      to native code, which knows (exited)
//	 sets the state in which the  MoveNext takes a step   Exit ends the frame, or marks it: it
//	   frame will continue          there, or suspends      continues elsewhere
//	 leaves the chain unsettled   settle                  settleElsewhere
//
// From then on the failure says that the goroutine exits, and raising it does what the plain
// program does: it calls runtime.Goexit, and panics in a deferred call of that.
//
// It is tempting to keep the frame, too, in the Run, so that no second deferred function per
// MoveNext is necessary. But a frame may be on the stack, and what the Run refers to may not.

// failure describes how a callee ended that did not return, or why an awaited operation
// has no result: the machine's home has refused the machine, the machine would wait for
// itself, or the context of its sleep has ended. In the latter cases refusal is not nil;
// only that distinguishes them from a panic.
type failure struct {
	value   any // of the panic; nil: there is none
	stack   panics.Stack
	async   []job.Frame
	goexit  bool // by runtime.Goexit, during which the panic began if there is one
	refusal error
}

// exit is a runtime.Goexit without a panic.
var exit = &failure{goexit: true}

// exiting returns f as it is if the goroutine exits: a panic remains one, and without a panic
// only the Goexit is left. f may be nil.
func (f *failure) exiting() *failure {
	if f == nil || f.value == nil {
		return exit
	}
	g := *f
	g.goexit = true
	return &g
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

// ended returns how a frame ends that has not returned. v is what its deferred function has
// recovered. Without the mark goexit, a panic may still be one of a goroutine that exits.
func (r *Run) ended(v any) *failure {
	switch p := r.failure; {
	case v != nil:
		p = r.failureOf(v)
		r.raised = nil // the value may be raised again for another reason
		return p
	case p != nil: // of a callee, if the goroutine exits, or kept by Loops.Leave
		r.failure = nil
		return p
	default:
		return exit
	}
}

// exited returns how the goroutine exits. The caller knows that it does: a call has not returned,
// and there was nothing to recover.
func (r *Run) exited() *failure {
	p := r.failure
	r.failure = nil
	return p.exiting()
}

// keepPanic keeps the panic v, which was just recovered. Its caller takes it with takeKept, if
// control returns. Nil, which means runtime.Goexit, leaves what was kept.
func (r *Run) keepPanic(v any) {
	if v != nil {
		r.failure = r.failureOf(v)
		r.raised = nil
	}
}

// takeKept returns the panic that was kept.
func (r *Run) takeKept() *failure {
	p := r.failure
	r.failure = nil
	return p
}

// raise raises a panic or a Goexit again, and does nothing for a refusal.
func (r *Run) raise(f *failure) {
	if f.refusal == nil {
		r.raised = f
		f.raise()
	}
}

// raise is Run.raise for a panic whose first stack is not needed.
func (f *failure) raise() {
	if !f.goexit {
		panic(f.value)
	}
	if f.value != nil {
		defer panic(f.value)
	}
	runtime.Goexit()
}

// err returns the failure as the error of a job.
func (f *failure) err() error {
	if f.value == nil {
		return job.ErrGoexit
	}
	p, ok := f.value.(*job.PanicError)
	if !ok {
		p = &job.PanicError{Value: f.value, Stack: f.stack.Text(), Async: f.async}
	}
	if f.goexit {
		return promise.Exiting(p)
	}
	return p
}

// report reports a panic that ends a job to the scheduler.
func (f *failure) report(worker schedulers.Worker) {
	if f.value != nil {
		dispatch.ReportPanic(worker, f.value, f.stack.Text())
	}
}
