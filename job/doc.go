// Package job holds futures: a [Job] is an operation and, later, its outcome.
//
// # One job
//
//	j := job.Run(ctx, fetch)      // starts fetch on a scheduler
//	v, err := j.Wait(ctx)         // blocks; ctx bounds the wait, not the job
//	v, err := j.Await()           // in a function marked //movenext:async: suspends
//
// The outcome is what the function returned, value and error unchanged, and can be read
// by many, many times. A panic is an error too ([PanicError], with its stack), and so
// are a runtime.Goexit ([ErrGoexit]) and a scheduler's refusal ([ErrShutdown],
// [ErrRejected]). A job is Canceled, rather than Faulted, if its own context has ended
// and that is the error it returned.
//
// # Where it runs
//
// On the scheduler of the option [On], else on the ambient one of the context
// (schedulers.With), else on the default, a pool that holds no goroutine while it is
// idle. The function's context is the job's own: it carries scheduler and worker, ends
// with the job, and is what [Job.Cancel] cancels. Here and in all packages of this
// module a nil context counts as context.Background.
//
// # Many jobs
//
//	[ContinueWith]               a function after a job, whatever became of it; with filters
//	[Then], [Catch], [Finally]   after a result, after an error, in any case
//	[WhenAll], [WhenAny], [Race] all; the first to end; the first to succeed
//	[WhenEach], [WhenEachAsync]  one after the other, as they end
//	[Unwrap]                     the job that a job yields
//	[WaitAsync], [WaitTimeout]   a wait that a context or a time bounds, without blocking
//
// [WhenAllOf] and [WhenAnyOf] take jobs of several types. What loses a race or gives up
// waiting is taken out of what it waited for: nothing is left behind.
//
// A [Scope] runs children and does not end before they have: no goroutine, and no
// failure, gets lost behind a function's return. Its children need no handles, and cost
// no allocation then.
//
// # Many values
//
// A [Stream] is a sequence whose values take time. A function marked //movenext:async
// that returns an iter.Seq2[T, error] has a twin that returns one; a range over it
// suspends between values, and leaving the range ends the function. [StreamOf] makes
// one of a plain sequence.
//
// # When something is wrong
//
// A panic carries the stack of its goroutine and the asynchronous stack: what waited
// for the job ([PanicError], [AsyncStack]). A wait that closes a cycle is refused by
// name ([CycleError]). Unobserved failures reach a hook ([OnUnobserved]). Where a job
// was made, the profiler's labels and the tracer's tasks are recorded if asked for
// ([SetDiagnostics]).
//
// # Jobs that are not functions
//
// A [Source] is completed by hand. [FromResult], [FromError] and [FromCanceled] have
// ended. [Sleep] and [Yield] are pairs of a blocking form and an asynchronous one
// ([SleepAsync], [YieldAsync]), as every function marked //movenext:async is: generated
// code calls the second where the source calls the first.
//
// # Reading on
//
// state.go has the state word with its table and graph; context.go the lazy context;
// task.go how a job is started, run and completed; link.go what all continuations
// share; relay.go and whenany.go how losers leave; scope.go and scopechild.go the
// children. The list of continuations, where the one race is, has its own package:
// continuation. Channels, processes, callbacks and sequences as jobs are in package
// job/bridge.
//
// The names follow .NET's: Task is Job, TaskStatus is [Status], TaskCompletionSource is
// [Source].
package job
