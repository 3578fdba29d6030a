// Package interleave provides the atomic variables, the mutex and the go statement with
// which the protocols of the runtime are built. In a normal build they are aliases of those
// of the standard library, so a program contains no code of this package.
//
// # The build of the tests
//
// Under the build tag interleave they are types of this package with the same methods,
// and each call of a method is a step: a point at which another goroutine may run first.
// A test describes a program of a few goroutines, and [Explore] runs it in each order of
// its steps that can make a difference. That finds bugs that a stress test finds once in a
// week. And the search ends: a protocol that passes has no bad order in programs of that
// size.
//
//	go test -tags=interleave ./continuation -run Interleav -v
//
// # Plain variables
//
// An access of a plain variable is not a step. Plain reads and writes are ordered by the
// steps around them, and a program without data races cannot observe more. Data races are
// left to the race detector. Steps are sequentially consistent, like Go's atomic
// operations.
package interleave
