// Package schedulers is the contract between work and the schedulers that run it. It
// holds no scheduler: each of those is a package below this folder.
//
// # The contract in one paragraph
//
// A [Scheduler] has one method: [Scheduler.Submit] accepts a [Work] or refuses it
// with an error. Accepted work is run once by [Work.Run] or, if it can no longer
// be run, abandoned once by [Work.Abandon]: exactly one of the two, exactly once.
// A scheduler of your own needs nothing more. Package schedulertest checks it: each
// failure names the broken promise.
//
// # The direction of calls
//
// Calls go down by name: a job knows its scheduler. The only way up is the interface
// Work: a scheduler knows nothing of jobs, futures or machines, so any of them can be
// replaced without a change to the other.
//
// # Optional capabilities
//
// Everything else is optional and small. The table groups the interfaces by the code that
// calls them, and names the schedulers of this module whose scheduler or worker has them:
//
//	package job, about a wait
//	  Consenter    may a waiter run queued work in place?   all but exclusive, goroutine,
//	                                                        simulation
//	Wait, for each wait that blocks a goroutine
//	  Pumper       can the worker do other work meanwhile?  cancellable, dedicated, eventloop,
//	                                                        exclusive, limited, observed,
//	                                                        priority, roundrobin, simulation,
//	                                                        workset
//	  Blocker      the worker is about to block             all but goroutine
//	packages job and statemachine, for sleeps and timeouts
//	  Timers       timers of its own                        all
//	package parallel
//	  Limiter      how many work items run at a time?       all but manual
//	RunsOn, and all that looks through layers
//	  Layered      which scheduler is beneath?              cancellable, exclusive, limited,
//	                                                        observed, priority, roundrobin,
//	                                                        workset
//	programs, package inspect, debuggers and tests
//	  Shutdowner   refuse new work, and run the rest        all
//	  Meter        counters                                 all
//	  Snapshotter  which work is queued?                    all but goroutine
//
// Code that uses a capability checks for it with a type assertion, and has a fallback if
// it is missing.
//
// # Callbacks of users
//
// Observers, wake-up callbacks and report functions are each kept in a [Hook], so that a
// panic in one does not affect accepted work and is reported once, through
// [OnHookPanic]. Submit of another scheduler is called through [TrySubmit], which
// distinguishes a panic after accepting from a refusal.
//
// # A hint is not a proof
//
// A [Hint] names the worker on which the submitter believes it runs. The belief
// comes from a context, and users pass contexts to other goroutines, so it may be
// wrong. It is tempting to push to that worker's private queue without
// synchronisation. That would be a data race: a queue that is chosen by a hint
// must be safe for use by any goroutine.
package schedulers
