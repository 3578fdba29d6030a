// Package continuation holds what runs when something completes, and the one
// race of this library: a continuation that is added while the operation
// completes.
//
// The race is decided in one file, list.go, which carries the proof. Everything
// above it (awaiting, waiting, ContinueWith, WhenAll, a machine that resumes)
// is a [Node] in a [List] and is correct because that list is.
//
// Completing never runs a user's code: a [Target] is told that it may go on, and
// what it does is small and bounded: it wakes a waiter, counts down, or submits
// work to a scheduler. So completing is safe under a caller's locks and never
// deep: what a target completes in turn comes back as a [Chain] that the
// outermost caller delivers in a loop. A million operations that wait for one
// another in a row complete on constant stack.
package continuation
