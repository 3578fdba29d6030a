// Package continuation holds what runs when something completes, and the one race of
// this library: a continuation is added while the operation completes.
//
// The race is decided in one file, list.go, which carries the proof. Everything
// above it (awaiting, waiting, ContinueWith, WhenAll, a machine that resumes)
// is a [Node] in a [List] and is correct because that list is.
//
// Completing never runs user code: a [Target] is notified, and what it
// does is small and bounded: it wakes a waiter, counts down, or submits work to a
// scheduler. So completing is safe under a caller's locks, and it never recurses:
// whatever a target completes in turn is returned as a [Chain], which the outermost
// caller delivers in a loop. A chain of a million operations, each waiting for the
// next, completes on constant stack.
package continuation
