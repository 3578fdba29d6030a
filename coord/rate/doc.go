// Package rate bounds how often something happens: a hundred requests a second, with bursts of
// ten. What bounds how many are in flight at a time is coord.Limiter.
//
// It has the names and the semantics of golang.org/x/time/rate, which is a token bucket: a
// bucket of b tokens, full at first, is refilled at a rate of r tokens a second, and each event
// takes one. Allow drops what comes too early, Reserve says when it may happen, Wait waits until
// then.
//
// # What is different
//
// Wait has a second form, as all that waits in this module: in a function marked
// //movenext:async it is a suspension and holds no goroutine. And time is that of the scheduler,
// where that has one of its own: [On] names it, and Wait asks that of its context. So a limiter
// works under virtual time, in a simulation as in a bubble of testing/synctest. A limiter should
// be used with one clock.
package rate
