// Package batch compares the two executions of many programs at once: it lowers
// them, builds one binary that holds both forms of all, and runs it.
//
// Even a small build takes seconds, so hundreds of programs share one. A
// misbehaving program must not hide the others: a program that is refused is
// taken out and the rest generated again, and after a crash the binary is
// restarted with the program after the crashed one.
package batch
