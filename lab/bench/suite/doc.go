// Package suite has the types that describe a benchmark: a [Work] is the task, a
// [Contender] is one way of doing it, a [Setting] has the parameters that may differ from
// run to run, and a [Meter] records what a run reports in addition to its time.
//
// A contender is started once, outside the measured time (its pool, its scheduler), and then runs
// as often as the measurement requires. It checks its own result: a fast wrong answer is an
// error, never a figure.
package suite
