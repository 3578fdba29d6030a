// Package schedulers is the contract between work and the places where it
// runs. It holds no scheduler: each of those is a package below this folder.
//
// # The contract in one paragraph
//
// A [Scheduler] is one method: [Scheduler.Submit] accepts a [Work] or refuses
// it with an error. Accepted work is run once by [Work.Run] or, if it can no
// longer be run, given up once by [Work.Abandon]: exactly one of the two,
// exactly once. That is all a scheduler of your own needs; package
// schedulertest tells you by name what yours gets wrong.
//
// # Which way calls go
//
// Calls go down by name: a job knows its scheduler. The only way up is the
// interface Work: a scheduler knows nothing of jobs, futures or machines, and
// so any of them can be replaced without the other noticing.
//
// # What a scheduler may be asked beside
//
// Everything else is optional and small: [Consenter] (may queued work be run in
// place by who waits for it?), [Reclaimer] (may it be taken back?), [Admitter] (may it be run without being queued?),
// [Blocker] (a worker is about to block), [HomeBlocker] (… for work of whose?), [Leaver] (its current work is about to end), [Keeper] (has a worker room for something?),
// [Pumper] (can it do other work meanwhile?), [Layered] (on top of which one?), [Timers] (timers of its own), [Shutdowner],
// [Snapshotter], [Limiter], [Meter]. Who needs one asks
// for it with a type assertion and has an answer ready when it is missing.
//
// # What users give to be called
//
// An observer, a callback on a wake-up, a report: each is kept in a [Hook], so that a panic in
// it changes nothing about accepted work and is reported once, by way of [OnHookPanic]. A Submit
// of another scheduler is called with [TrySubmit], which tells a panic after accepting from a
// refusal.
//
// # A hint is not a proof
//
// A [Hint] says on which worker the submitter believes to be. The belief comes
// out of a context, and users pass contexts to other goroutines, so it may be
// wrong. The tempting use, pushing to that worker's private queue without
// synchronisation, is therefore a data race waiting for its user: a
// queue that a hint leads to must be safe from any goroutine.
package schedulers
