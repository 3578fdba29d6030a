// Package parallel runs code in parallel: loops, functions, and work that divides itself.
//
//	For, ForBlocks, ForEach, Invoke     a body for each index, item, function
//	Map, Reduce, Sort                   … with results
//	Filter, GroupBy, Distinct, Scan     queries over many items
//	ForEachAsync, MapAsync              bodies that wait rather than compute, and return jobs
//	Stage                               the same lazily, as a pipeline of streams
//	Run, with Join and Fork             work that divides itself, at the cost of a few calls
//
// # Which to use
//
// A loop is for many bodies that do not need each other's results. Fork-join is for
// recursion: trees, divide and conquer, anything whose parts become known on the way; a
// fork costs a few nanoseconds, so it needs no threshold below which to stop forking.
// Work that waits for a network, a timer or a lock needs neither: use the asynchronous
// forms, whose bodies return jobs. A thousand of them under way hold no goroutine.
//
// # The caller takes part
//
// All operations except the asynchronous ones block, and their caller does the same work
// as the helpers. The scheduler (the ambient one of the context, else the default) sends
// helpers: any of its workers that are idle. Helpers are optional. If none comes,
// because all workers are busy, the caller is the only one, or the scheduler has been
// shut down, the caller does everything, and nothing hangs. So operations may be nested
// to any depth, in bodies of each other and in jobs, even on one worker.
//
// It also means that bodies run on the caller's goroutine. If they may run only on the
// workers of one scheduler (for a library that is bound to a thread), begin the
// operation there:
//
//	job.Go(ctx, func(ctx context.Context) error {
//		return parallel.ForEach(ctx, items, body)
//	}, job.On(s))
//
// # In functions marked //movenext:async
//
// What [For], [ForBlocks], [ForEach], [Map], [Filter], [GroupBy], [Distinct], [Invoke],
// [Run], [Reduce] and [Scan] call may suspend there, folds and merges included: literals,
// functions with twins, method values, and parameters that are given such functions.
// The operation then suspends its caller instead of blocking it. [Degree] bounds
// the bodies in flight, suspended ones included, even on a scheduler with fewer
// workers. Results, errors, panics and Goexit are those of the blocking call. A deferred
// operation blocks; one in a deferred literal does not.
// A range over a call of [Stage] suspends too, since Stage has a twin. Functions called
// by [Join], [Join2], [Fork] and sorting divide work on the stack of their caller, so they
// block, and movenext vet reports them.
//
// The functions whose names end in Enter are for generated code.
//
// # Structured
//
// When a call returns, all bodies have ended, whatever happened: nothing continues in
// the background, and no goroutine is left. With the asynchronous forms this holds once
// the job is complete.
//
// # What goes wrong
//
// The first error stops a loop: no body begins after it, the context of those that run
// is canceled, with the error as its cause, and the loop returns it. The end of the
// caller's context is such an error, and so is a panic, as a *job.PanicError with the
// stack of the panic. What goes wrong in the bodies that still run, as they are canceled,
// is joined to the first error; that they were canceled is not.
//
// A body that calls runtime.Goexit (t.FailNow does) ends the caller's goroutine, once
// all bodies have ended, wherever that body ran: the same as in a plain loop.
//
// Fork-join goes further, because functions call each other there: a panic or a Goexit
// leaves the join as it would leave the call, wherever the function ran, and a panic can
// be recovered on the way. Only [Run] turns it into an error.
//
// # Contexts
//
// Bodies get a new context: a child of the caller's that is canceled when the operation
// stops and when it is over, and that names the worker on which the body runs. Use it
// for everything that a body starts or waits for, so that the worker is known.
package parallel
