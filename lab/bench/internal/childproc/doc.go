// Package childproc measures one contender in a separate process.
//
// Memory belongs to processes: the peak, the collector's state after earlier contenders, the
// goroutines that a library keeps. And a contender that hangs, or takes all memory, ends only its
// own process.
//
// # The roles
//
// The driver (a command of this module) starts a binary with the argument that [Serve] checks
// for, writes a [Request] to its standard input, and reads an answer from its standard output.
// Usually that binary is the driver itself. It may also be built from another version of this
// library, to compare two versions. The binaries need to agree only on [Protocol].
package childproc
