// Package standard annotates the standard library: it copies packages, annotates
// every function that they declare, so that almost every call within a package
// suspends, and has them lowered. What the generator writes has been type-checked
// together with its package; what it refuses is counted, by reason.
//
// A copy is a package of another module. It imports the public packages of the
// library itself, so that types agree, and copies of the internal ones, which
// nobody else may import. What only the compiler and the linker of the library's own
// packages can do is taken out: functions without a body get one that panics, and
// directives for linking lose their meaning. The copies are never run.
package standard
