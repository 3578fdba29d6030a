// Package batch compares the two executions of many programs at once: it lowers them, builds one
// binary that contains both forms of each program, and runs it.
//
// Even a small build takes seconds, so hundreds of programs share one. A misbehaving program must
// not hide the others: a refused program is removed and the rest is generated again, and after a
// crash the binary is restarted with the program after the crashed one.
package batch
