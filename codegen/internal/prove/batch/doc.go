// Package batch compares the two executions of many programs at once: it lowers
// them, builds one binary that holds both forms of all, and runs it.
//
// Building takes seconds however little is built, so programs share a build, hundreds
// of them. What one of them does must not hide the others: a program that is refused is
// taken out and the rest generated again, and after a crash the binary is started again
// after the program that crashed.
package batch
