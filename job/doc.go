// Package job holds futures: a job is an operation and, later, its outcome.
//
// # One job
//
//	j := job.Run(ctx, fetch)      // starts fetch on a scheduler
//	v, err := j.Wait(ctx)         // blocks; ctx bounds the wait, not the job
//	v, err := j.Await()           // in a function marked //movenext:async: suspends
//
// The outcome is the value and the error that the function returned, unchanged. Any
// number of readers can read it, any number of times. A panic is an error too
// ([PanicError], with its stack), and so are a runtime.Goexit ([ErrGoexit]) and a
// scheduler's refusal ([ErrShutdown], [ErrRejected]). A job is Canceled, rather than
// Faulted, if its own context has ended and its function returned that context's error.
//
// # Where it runs
//
// A job runs on the scheduler of the option [On], else on the ambient one of the context
// (schedulers.With), else on the default, a pool that holds no goroutine while it is
// idle. The function's context belongs to the job: it carries the scheduler and the
// worker, ends with the job, and is canceled by [Job.Cancel]. Here and in all packages
// of this module a nil context counts as context.Background. A call blocks only if its
// documentation says so, and an Async form never does.
//
// # Many jobs
//
//   - [ContinueWith] runs a function after a job, whatever its outcome; with filters
//   - [Then], [Catch], [Finally]: after a result, after an error, in any case
//   - [WhenAll], [WhenAny], [Race]: all; the first to end; the first to succeed
//   - [WhenEach], [WhenEachAsync]: one after the other, as they end
//   - [Unwrap]: the job that a job yields
//   - [WaitAsync], [WaitTimeout]: a wait bounded by a context or a time, without blocking
//
// [WhenAllOf] and [WhenAnyOf] take jobs of several types. A waiter that loses a race or
// gives up is removed from the jobs that it waited for: nothing is left behind.
//
// A [Scope] runs children and ends only after all of them: no goroutine outlives the
// function that started it, and no failure is lost. Children need no handles; without
// one a child costs no allocation.
//
// # Many values
//
// A [Stream] is a sequence whose values take time. A function marked //movenext:async
// that returns an iter.Seq2[T, error] has a twin that returns a stream; a range over it
// suspends between values, and leaving the range ends the function. [StreamOf] makes a
// stream of a plain sequence.
//
// # When something is wrong
//
// A panic carries the stack of its goroutine and the asynchronous stack: the chain of
// waiters behind the job ([PanicError], [AsyncStack]). A wait that closes a cycle is
// refused with an error that names the jobs ([CycleError]). Unobserved failures reach a
// hook ([OnUnobserved]). [SetDiagnostics] turns on the recording of where jobs are made,
// the profiler's labels and the tracer's tasks.
//
// # Jobs that are not functions
//
// A [Source] is completed by hand. [FromResult], [FromError] and [FromCanceled] return
// jobs that have ended. [Sleep] and [Yield] block; each has an asynchronous twin
// ([SleepAsync], [YieldAsync]), as every function marked //movenext:async has. Generated
// code calls the twin where the source calls the blocking form.
//
// # Reading on
//
// state.go has the state word with its table and graph; context.go the lazy context;
// start.go the start and the cancellation of a job, task.go its run and its completion;
// link.go the common part of all continuations; relay.go and whenany.go the removal of
// losers; scope.go and the other files named scope… the children. The list of
// continuations, where the only race is, has its own package: continuation. Package
// job/bridge turns channels, contexts and callbacks into jobs. Package job/root has the types of
// functions that become jobs.
//
// The names follow .NET's: Task is Job, TaskStatus is [Status], TaskCompletionSource is
// [Source].
package job
