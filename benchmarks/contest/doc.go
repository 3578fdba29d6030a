// Package contest has the words in which a benchmark is described: a [Work] is
// what is to be done, a [Contender] is one way of doing it, a [Setting] is what
// may differ from run to run, and a [Meter] is what a run reports beside its time.
//
// A contender is started once, outside of what is measured (its pool, its
// scheduler), and then runs as often as the measuring side asks. It checks its
// own result: a fast wrong answer is an error, never a figure.
package contest
