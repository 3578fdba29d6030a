// Package inspect shows what the machines of a program wait for. A goroutine that hangs
// is in the dump that SIGQUIT prints. A machine that hangs is an object in a list of
// waiters, and is found only if the program tracks its machines:
//
//	stop := inspect.Track()
//	defer stop()
//	defer inspect.OnSignal(syscall.SIGQUIT)()
//	http.Handle("/debug/movenext/", inspect.Handler())
//
// From then on [Dump] writes, the handler shows, and [Snapshot] returns where
// machines are suspended. Machines are grouped by the chain of their functions,
// with counts, the age of the oldest, and an example. Reports also have the locks
// of package coord with their holders, and cycles of machines that wait for each
// other's locks, which never end.
//
// [WaitsFor] looks from one job downward, job.AsyncStack and job.Waiters upward.
//
// What happens, in contrast to what is, is told by [Observe]: each moment in the life of
// jobs. Package inspect/metrics adds that up, and what schedulers do; package
// inspect/record writes it down and plays it.
//
// # What it costs
//
// Without tracking it costs one load of a pointer for each suspension. A tracked
// machine takes 42 bytes more while it is suspended, 50 if it sleeps, and two
// short locks for each suspension. A tracked job with a function takes some 300 bytes
// more, and half a microsecond. [Sample] tracks a part of both.
//
// A report stops nothing. A machine cannot continue while it is looked at, for a few
// hundred nanoseconds; all others can.
//
// # What it shows
//
// It shows names of functions, lines, names of jobs, and types of awaited operations, but
// never arguments, variables or results. A machine is shown while it is suspended, a job
// with a function also while it is queued or runs. A machine that waits in blocked code
// holds a goroutine, which Go's own dump shows. A machine that was suspended before Track
// appears when it is suspended again, a job that was made before does not, and the holder
// of a lock is known if the lock was taken since.
//
// A tracked machine is kept alive while it is suspended, even if nothing can ever
// resume it: such machines are what a report is for. So is a tracked job that is never
// started.
package inspect
