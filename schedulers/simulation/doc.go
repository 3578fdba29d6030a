// Package simulation runs a concurrent program one step at a time, in an order that is random and yet
// the same each time: one seed, one schedule. A bug that needs B between two steps
// of A shows itself under some seed, and then under that seed for ever.
//
//	for seed := range uint64(1000) {
//		s := simulation.New(seed)
//		… start jobs on s …
//		if err := s.Run(); err != nil { t.Fatalf("seed %d: %v", seed, err) }
//	}
//
// # One step at a time
//
// A step runs one piece of work until it returns or waits. Whenever a step ends and several pieces of
// work could go on, one of them is chosen by a random number generator with a fixed seed. This
// choice is the only thing that is left open, so the list of choices ([Scheduler.Trace]) is the schedule; [Replay]
// follows such a list without a seed. A step is never interrupted: what interleaves is what happens
// between suspensions, waits and submissions, not the instructions of two steps.
//
// # Virtual time
//
// The clock stands still while anything can run. When nothing can, it jumps to the earliest
// timer. A program that sleeps for a year is simulated in microseconds. Timers of different
// instants expire in their order; timers of one instant in any order, and what they wake runs
// before or after the others.
//
// So a timeout never interrupts work that can run. In the world it does, since work takes time.
// With the option [StepTime] each step may take some: then a timer that is due within the time
// of the last steps races with what can run, and whether it comes first is a choice.
//
// # Who drives
//
// Nothing runs by itself. [Scheduler.Run], [Scheduler.RunUntil] and [Scheduler.Step] drive the
// simulation, and so does a wait: with a context from [Scheduler.Context], a test writes
//
//	result, err := j.Wait(ctx)
//
// and the wait drives the simulation until the job has ended.
//
// # Waiting inside of work
//
// Each piece of work runs on a goroutine of its own, and there is one baton: who has it runs, all others are
// parked.
//
//	queued ──▶ running ──▶ ended
//	            │   ▲
//	  Pump: the baton is put down, and the goroutine parks
//	            ▼   │ the baton is handed to it again, in a step that is chosen like any other
//	           waiting
//
// Pump ([schedulers.Pumper]), which job.Wait and all that is built on it calls, says what the work waits for, so that after each step it is known, and known in the same way
// in each run, who can go on. [schedulers.Blocker] does not say it. Its Block therefore ends when nothing
// else can happen, time included: either that for which the caller waits has happened by then, or it never
// will, which is what the error says that Block then returns. Of several such waits the one that began last ends first.
//
// # Deadlocks
//
// If nothing can run and no timer is set, but something waits, then it waits for ever. Then the
// wait that began last fails with a [Deadlock], which says what waits and where, and which wraps
// [schedulers.ErrWouldDeadlock]. The simulation continues with that, so that all work ends and
// no goroutine is left; Run returns the first such error in the end.
//
// A machine that is suspended has no goroutine, and no wait that could fail. The simulation is
// told of it ([schedulers.Follower]), and if machines are still suspended when all else is done,
// Run returns a Deadlock that names each: its job, the line, what it waits for, and who holds
// that, if it is a lock of package coord:
//
//	there, since 0s, in bank.transfer (bank.go:12), for coord.Mutex, held by back
//	back, since 0s, in bank.transfer (bank.go:12), for coord.Mutex, held by there
//
// # What it costs
//
// A step costs the logarithm of how many can run, so a simulation is linear in its steps, near
// enough. The waits of plain work are the exception: after a step the simulation looks whether
// they are over, at all of them if there are at most 256, else at some in turn, and at all when
// nothing else can run.
//
// # The limits
//
// What happens outside is not simulated: other goroutines, the network, real clocks, and also functions that
// the standard library runs on goroutines of its own, as context.AfterFunc does (so a job's sleep that ends with its
// context wakes up by way of one). The simulation waits a moment for such things before it
// speaks of a deadlock, and the result is no longer the same each time. In a bubble of testing/synctest, and with
// the option [Outside], it is.
package simulation
