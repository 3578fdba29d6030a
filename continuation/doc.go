// Package continuation holds the continuations of operations, and decides the one race
// of this library: a continuation is added while its operation completes.
//
// The race is decided in one file, list.go, which contains the proof. Everything above
// it (awaiting, waiting, ContinueWith, WhenAll, a machine that resumes) is a [Node] in a
// [List] and relies on the correctness of that list.
//
// Completing never runs user code: a [Target] is notified, and its work is small and
// bounded: it wakes a waiter, counts down, or submits work to a scheduler. So completing
// is safe under a caller's locks. And it never recurses: a target returns the waiters of
// the operations that it completes in turn as a [Chain], which the outermost caller
// delivers in a loop. A chain of a million operations, each waiting for the next,
// completes with constant stack space.
package continuation
