// Package inspect shows what the machines of a program wait for. A goroutine that hangs is in the
// dump that SIGQUIT prints. A machine that hangs is an object in a list of waiters, and can be
// found only if the program tracks its machines:
//
//	stop := inspect.Track()
//	defer stop()
//	defer inspect.OnSignal(syscall.SIGQUIT)()
//	http.Handle("/debug/movenext/", inspect.Handler())
//
// From then on, [Dump], the handler and [Snapshot] report where machines are suspended. Machines
// are grouped by the chain of their functions, with counts, the age of the oldest, and an
// example. Reports also contain the locks of package coord with their holders, and cycles of
// machines that wait for each other's locks, which never end.
//
// [WaitsFor] searches from one job downward, job.AsyncStack and [Waiters] upward.
//
// These functions report states. [Observe] reports events: each one in the life of jobs. Package
// inspect/metrics sums up those events and the schedulers'; package inspect/record records them
// and plays them back.
//
// # What it costs
//
// Without tracking, each suspension costs one load of a pointer. A tracked machine takes 42 bytes
// more while it is suspended, 50 if it sleeps, and two short locks for each suspension. A tracked
// job with a function takes some 300 bytes more, and half a microsecond. [Sample] tracks only
// some of both.
//
// A report does not stop the program. A machine cannot continue while it is being read, for a few
// hundred nanoseconds; all others can.
//
// # What it shows
//
// It shows names of functions, lines, names of jobs, and types of awaited operations, but never
// arguments, variables or results. A machine is shown while it is suspended; a job with a
// function also while it is queued or running. A machine that waits in blocked code holds a
// goroutine, which Go's own dump shows. A machine that was suspended before Track appears when it
// is suspended again; a job made before Track does not appear. The holder of a lock is known if
// the lock was taken after Track.
//
// A tracked machine is kept alive while it is suspended, even if nothing can ever resume it:
// reports exist to show such machines. A tracked job that is never started is also kept alive.
package inspect
