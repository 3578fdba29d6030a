// Package statemachine is the contract between generated code and the runtime.
// Code that `movenext` generates uses it; programs do not call it by hand, except to learn.
//
// # From a function to a machine
//
// A function with two awaits is cut into three parts. Each part is a case of one method,
// moveNext, which starts at the point that the field State records:
//
//	func (f *copyLocals) moveNext(r *statemachine.Run) (hasEnded bool, result0 error) {
//		resumeAt := f.State
//		f.State = statemachine.Finished       // unless it suspends
//		switch resumeAt {
//		case statemachine.NotStarted:
//		case 1:                               // the suspension points
//			goto resume1
//		case 2:
//			goto resume2
//		}
//		…
//		if awaited = j; awaited.IsCompleted() && r.Proceed() {
//			goto after1                       // mostly: no suspension
//		}
//		f.State = 1
//		f.await1 = awaited
//		return r.Await(awaited), nil          // false: suspended
//	resume1:
//		awaited = statemachine.AwaitedJob(r, f.await1)
//		f.await1 = nil
//	after1:
//		v, err := awaited.GetResult()
//		…
//		return true, err                      // it has ended
//	}
//
// The runtime calls MoveNext, which calls moveNext and keeps its results. A function whose
// results are variables that it needs has MoveNext alone.
//
// Variables that must survive a suspension are fields of the frame. That is all that a
// machine is: a stack frame that is an object, and a program counter that is a field.
//
// # Calls, and where frames live
//
// A frame starts as a local variable on its caller's stack. If the function does not
// suspend, no heap object is made: a call of an async function that does not wait costs
// no more than a call. Only when moveNext returns false is the frame copied to the heap
// ("promoted") by the function's second entry, FEnter, which links it under its
// caller's. So at the first suspension a chain of frames is built from the inside out:
//
//	main ─calls─▶ fetchAll ─calls─▶ fetch ─awaits─▶ job        (goroutine stack)
//
//	chain ─top─▶ fetch ─caller─▶ fetchAll ─caller─▶ nil          (heap, after)
//
// The root of the chain, made by FAsync, is one object with the chain and the job.
// Nothing of this is shared with another goroutine before the very last step, when the
// chain is registered with the operation that the innermost frame awaits; so the links
// are plain fields and a whole chain costs one atomic operation.
//
// A job that is awaited in the first step of another one is run before the frames move;
// see onstack.go.
//
// # Resuming
//
// When the awaited operation completes, the chain is submitted as work to the home of
// its top frame. There the top frame's MoveNext continues. When it finishes, its
// caller's continues at once, on the same worker, in a loop (chain.Run): returning
// through a million frames needs no stack. A caller with another home is submitted
// there first (Run.goHome): every frame resumes on its own home.
//
// # Machines that yield values
//
// A function that returns a sequence becomes a machine that stops at each yield, and
// returns true, since it has produced the value that it was called for. A range over it
// calls it again for the next value (loop.go). A plain function that is ranged over runs
// on a goroutine, behind the same interface (iterator.go).
//
// # Ways to end
//
// A frame that was resumed can end by returning, by a panic, or by runtime.Goexit. The
// [Run] keeps a panic until the caller gets the callee's results, where Rethrow raises
// it again with the same value, so that deferred functions and recover in the caller see
// the same as in plain Go.
//
// # Who names what
//
//	each generated file        ContractMin, ContractMax
//	each function              Frame, NotStarted, Running, Finished, Misuse, Run, StateMachine
//	its Async and plain form   Builder, Root, Completed, Catch, Plain
//	an await                   AwaitedJob, JobResult, TwinEnded, TwinResult, AwaiterOf, Result
//	a sleep                    Sleep
//	a defer                    Defers, Panicking, After, Entry, Entered
//	a deferred await           DeferAwait, DeferTwin, DeferYield, DeferSwitch
//	a loop                     Loop, Loops, Range0, Range1, Range2, RangeStream, RangeWithin
//	a stream                   Stream, Producer, Iteration
//	a literal that is run      Spawned, Fail, Action1, Action2, Func1, Func2
//	a function parameter       CompanionAt
//	a marked function type     Kept, Answers, EntryOf
//	labels of the profiler     DoWithLabels, SetGoroutineLabels
//	a debug form               Location, At
//
// Packages with operations that machines wait for, such as coord and netio, need these:
//
//	an operation               Operation, Pending, Rest, RestOf
//	its results                Outcome, Waiting, WaitingFor, WaitingVoid, WaitingForVoid
//	its companions             Callee, ActionCallee, FuncAsRoot, ActionAsRoot
//	a stream, a report         TakesBack, LocationOf
//
// What generated code needs to write a type is in package gentypes.
package statemachine
