// Package rate bounds how often something happens: a hundred requests a second, with
// bursts of ten. To bound how many are in flight at a time, use coord.Limiter.
//
// It has the names and the semantics of golang.org/x/time/rate, which is a token
// bucket: a bucket of b tokens, full at first, is refilled at a rate of r tokens a
// second, and each event takes one. For an event that comes too early, Allow returns
// false, Reserve returns when it may happen, and Wait waits until then.
//
// # What is different
//
// Like every wait of this module, Wait has a second form: in a function marked
// //movenext:async it is a suspension and holds no goroutine. And time is the
// scheduler's, if it has its own clock: [On] names the scheduler, and Wait otherwise
// uses the one of its context. So a limiter works under virtual time, both in a
// simulation and in a bubble of testing/synctest. Use a limiter with one clock only.
package rate
