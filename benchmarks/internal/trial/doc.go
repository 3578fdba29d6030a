// Package trial measures one contender in a process of its own.
//
// A process of its own, because memory belongs to processes: the peak, the collector's
// state after earlier contenders, the goroutines that a library keeps. And because a
// contender that hangs, or takes all memory, ends only its own process.
//
// # The roles
//
// The driver (a command of this module) starts a binary with the argument that [Serve]
// looks for, writes a [Request] to its standard input, and reads an answer from its
// standard output. Usually that binary is the driver itself. It may also be built from
// another version of this library: so two versions are compared. The binaries need to
// agree on [Protocol] alone.
package trial
