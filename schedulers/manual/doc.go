// Package manual is a scheduler that does nothing by itself: a test steps it. Work
// waits in a queue until somebody calls [Scheduler.Step], and then runs on that
// goroutine; timers wait until somebody moves the clock with [Scheduler.Advance].
//
// A test that wants to know what happens when B comes before A writes it down:
//
//	s := manual.New()
//	a, b := start(s), start(s)
//	s.StepAt(1) // B
//	s.Step()    // A
//
// No goroutine is started, so there is nothing to wait for, nothing to leak, and nothing
// that could happen in another order next time. To have all orders tried rather than
// one written down, use package simulation.
//
// # Waiting
//
// Work that waits for other work of the same scheduler would hang a test: the only
// goroutine that steps is the one that waits. So a worker that is told of the wait
// ([schedulers.Blocker]) first runs what is queued, one inside of the other, and then
// lets the wait begin; [Scheduler.RunUntil] does so on behalf of the test itself and says if it
// could not help. And who waits directly for a queued job may run it in place.
//
// # Several goroutines
//
// All methods are safe for concurrent use. Two goroutines may even step at the same time, and
// then two works run at the same time; nothing is deterministic any more.
package manual
