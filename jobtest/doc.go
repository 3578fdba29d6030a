// Package jobtest tests concurrent programs: it looks for the schedule in which a
// program fails, and shows the shortest one that it finds.
//
//	func TestShop(t *testing.T) {
//		jobtest.Explore(t, func(ctx context.Context) error {
//			s := newShop()
//			a, b := s.buyAsync(ctx), s.buyAsync(ctx)
//			…
//			return s.check()
//		})
//	}
//
// # One schedule
//
// [Run] calls a function in a simulation (package schedulers/simulation): jobs and
// machines that are started with its context take their steps one at a time, and the
// clock jumps to the next timer when nothing else can happen. A test of a timeout of an
// hour takes no time.
//
// When nothing more can happen, the program must have ended correctly. These are failures:
//
//	an error      the function has returned one
//	a panic       in the function, or in any job, even if a waiter has handled its error
//	a deadlock    the function waits, and nothing more can happen
//	a leak        the function has returned and its context has ended, and a job, a machine or a
//	              goroutine is left
//	no end        more steps than the option Steps allows
//	a hang        a step does not return: it waits for something that is not simulated
//
// Deadlocks and leaks are reported with each job and machine that waits: its line, what it waits
// for, and, for a lock of package coord, the lock's holder.
//
// # Many schedules
//
// A program has as many executions as there are orders of its steps, and a bug
// hides in a few of them. [Explore] runs the function again and again, each time
// in another order. A step is the code that runs between two suspensions; it is never
// interrupted. For data races inside a step, use the race detector. During the search a machine
// suspends at every await, even if the lock is free or the job has ended: on several processors
// other work could run there first.
//
// A test need not know where the bug is. Strategies differ in what they find. [Random] walks find
// bugs that need few ordered steps. [PCT] and [POS] delay a part of the program for a long time,
// as a busy machine does. [Exhaustive] tries every schedule, those close to the usual one first,
// and reports when none is left. By default they take turns.
//
// In a search, steps take time, as on a busy machine: a timer may expire while other work can run.
// So timeouts race with work, and a pause after which work should have ended may be too short. If
// that is not meant to be searched for, [StepTime] sets how long a step takes.
//
// Options widen the search. With [CancelEverywhere], the context ends at any step. With [Faults],
// operations that can fail do fail: submissions to the scheduler, and operations of the test
// doubles ([Fault]). An [Invariant] is checked after each step, not only at the end.
//
// [BothForms] also runs the plain form of the program, in a bubble of testing/synctest.
//
// # From a failure to its cause
//
// The first schedule that fails may have a hundred choices, and most of them do
// not matter. Explore drops those that the failure does not need, and prints the
// rest:
//
//	seed 0, schedule 2 (random): an error: oversold
//	3 choices, shrunk from 5; replay: -jobtest.replay=0/2,1/2,1/2,1/2
//	    reserve#1  shop_test.go:20  free := *seats > 0
//	    reserve#2  shop_test.go:20  free := *seats > 0
//	    …
//
// Each line is a step: the job, the line from which it continues, and what it has waited for. The
// flag repeats that schedule, even in a debugger. "2/3" is the choice of the last of three
// possible turns; choosing the oldest turn, "0/3", does not count as a deviation.
//
// # What is not explored
//
// Randomness, real time, the network and goroutines that the program starts itself are not part
// of a schedule. A function that depends on them may fail in one run but not in its repetition,
// and Explore reports that. Two calls of the function must not share state, so create the state
// anew in each.
//
// A plain function that runs in a job can be switched out where a machine would yield: at its
// waits for jobs and at the blocking calls of package coord, even if these need not wait. Between
// two such points it keeps its turn. Waits by other means, such as a sync.Mutex or a Go channel,
// are no such points.
//
// The orders are those of one worker that switches between jobs. A bug that needs two steps at
// the same instant is a data race, and no schedule shows it.
package jobtest
