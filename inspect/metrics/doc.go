// Package metrics measures schedulers and async functions in a running program: how long work
// waits in queues, how long it runs, and how often and how long functions are suspended.
//
//	c := metrics.Collect(metrics.OneIn(100))
//	defer c.Stop()
//	http.Handle("/metrics", c)        // Prometheus reads it
//	expvar.Publish("movenext", c)     // package expvar shows it
//	stop := metrics.Log(slog.Default()) // a log has single events
//
// A [Collector] listens to the events of schedulers ([schedulers.Observe]) and of jobs
// ([inspect.Observe]), and sums them up. It has no goroutine and no history: each reader gets the
// sums since the collector was made.
//
// # What is measured
//
// For each scheduler name (schedulers with equal names are added up): work items submitted,
// begun, ended, abandoned, refused and run in place; work items stolen and workers injected;
// the present numbers of queued and running work items, and of workers; histograms of the time
// in the queue, of runs, of waits, of idle workers' sleep, and of the queue length at each
// submission.
//
// For each function: live jobs; histograms of the time until a job starts, of its runs between
// two suspensions, of its suspensions, and of their number. The function of an async function's
// job is its outermost one; another job counts under its name, or under where it was made if that
// is recorded (job.RecordCreation). The output contains names of functions, jobs and schedulers,
// but no arguments, variables or results.
//
// # What it costs
//
// Without a collector, nothing. With one, each work item and each step of a job costs some
// hundred nanoseconds; [OneIn] measures only some of them, and scales counts up. A collector
// remembers at most 100 000 work items and as many jobs at a time, 1000 functions and 100
// scheduler names; anything beyond that counts under "other", or is not timed.
package metrics
