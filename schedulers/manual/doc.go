// Package manual is a scheduler that does nothing by itself: a test steps it. Work
// waits in a queue until the test calls [Scheduler.Step], and then runs on that
// goroutine; timers wait until the test moves the clock with [Scheduler.Advance].
//
// A test in which B must run before A states that order:
//
//	s := manual.New()
//	a, b := start(s), start(s)
//	s.StepAt(1) // B
//	s.Step()    // A
//
// No goroutine is started, so the test has nothing to wait for, leaks nothing, and
// always happens in the same order. To try all orders instead of one written down, use
// package simulation.
//
// # Waiting
//
// Work that waits for other work of the same scheduler would hang a test: the only
// goroutine that steps is the one that waits. So a worker to which a wait is announced
// ([schedulers.Blocker]) first runs the queued work, nested, and then lets the wait
// begin. [Scheduler.RunUntil] does the same for a wait of the test itself. A goroutine
// that waits directly for a queued job may run it in place.
//
// # Several goroutines
//
// All methods are safe for concurrent use. Two goroutines may even step at the
// same time; two work items then run at the same time, and the order is no longer
// deterministic.
package manual
