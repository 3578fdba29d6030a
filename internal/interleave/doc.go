// Package interleave has the atomic variables, the mutex and the go statement that the
// protocols of the runtime are made of. In a normal build they are aliases of those of
// the standard library, so a program carries nothing of this package.
//
// # The build of the tests
//
// Under the build tag interleave they are types of this package with the same methods,
// and each call of a method is a step: the point at which another goroutine may come
// first. A test describes a program of a few goroutines, and [Explore] runs it in each
// order of its steps that can make a difference. That finds what stress finds once in a
// week, and it ends: a protocol that passes has no bad order, up to the size of the
// program.
//
//	go test -tags=interleave ./continuation -run Interleav -v
//
// # What a step does not see
//
// A plain variable is no step. The orders of plain reads and writes are those of the
// steps around them, which is all that a program without data races can tell; whether
// there are data races is the race detector's matter. Steps are sequentially consistent,
// like Go's atomic operations.
package interleave
