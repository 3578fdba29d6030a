// Package simulation runs a concurrent program one step at a time, in an order that is
// random and yet the same each time: one seed, one schedule. A bug that needs B between
// two steps of A appears under some seed, and then under that seed forever.
//
//	for seed := range uint64(1000) {
//		s := simulation.New(seed)
//		… start jobs on s …
//		if err := s.Run(); err != nil { t.Fatalf("seed %d: %v", seed, err) }
//	}
//
// # One step at a time
//
// A step runs one work item until it returns or waits. Whenever a step ends
// and several work items could continue, a random number generator with a
// fixed seed chooses one. Nothing else is left to chance, so the list of choices
// ([Scheduler.Trace]) is the schedule; [Replay] follows such a list without a
// seed. A step is never interrupted: interleaving happens between suspensions,
// waits and submissions, not between the instructions of two steps.
//
// # Virtual time
//
// The clock does not move while anything can run. When nothing can, it jumps to the
// earliest timer. A program that sleeps for a year is simulated in microseconds. Timers
// of different instants expire in their order; timers of one instant in any order, and
// what they wake runs before or after the others.
//
// So a timeout never interrupts work that can run. In reality it does, since work
// takes time. With the option [StepTime] each step may take some time: then a
// timer that is due within the time of the last steps races with the work that
// can run, and whether the timer comes first is a choice.
//
// # Driving
//
// Nothing runs by itself. [Scheduler.Run], [Scheduler.RunUntil] and [Scheduler.Step]
// drive the simulation, and so does a wait: with a context from [Scheduler.Context], a
// test writes
//
//	result, err := j.Wait(ctx)
//
// and the wait drives the simulation until the job has ended.
//
// # Waiting inside work
//
// Each work item runs on its own goroutine, and one baton exists: its holder runs,
// all other goroutines are parked.
//
//	queued ──▶ running ──▶ ended
//	            │   ▲
//	  Pump: the baton is put down, and the goroutine parks
//	            ▼   │ the baton is handed to it again, in a step that is chosen like any other
//	           waiting
//
// Pump ([schedulers.Pumper]) is called by job.Wait and everything built on it. It
// says what the work waits for, so after each step the simulation knows which
// work items can continue, and knows it in the same way in each run.
// [schedulers.Blocker] does not say what the wait is for. Its Block therefore
// ends when nothing else can happen, time included: what the caller waits for has
// either happened by then or never will, and Block returns an error. Of several
// such waits the last to begin ends first.
//
// # Deadlocks
//
// If nothing can run and no timer is set, but something waits, then it waits
// forever. In that case the wait that began last fails with a [Deadlock], which
// lists the waits with their locations and wraps [schedulers.ErrWouldDeadlock].
// The simulation then continues, so all work ends and no goroutine is left; Run
// finally returns the first such error.
//
// A suspended machine has no goroutine, and no wait that could fail. The
// simulation is told of it ([probe.Follower]). If machines are still
// suspended when everything else is done, Run returns a Deadlock that names each:
// its job, the line, what it waits for, and the holder of that, if it is a lock
// of package coord:
//
//	there, since 0s, in bank.transfer (bank.go:12), for coord.Mutex, held by back
//	back, since 0s, in bank.transfer (bank.go:12), for coord.Mutex, held by there
//
// # What it costs
//
// A step costs the logarithm of the number of runnable turns, so a simulation is
// practically linear in its steps. The waits of plain work are the exception: after a
// step the simulation checks whether they are over. It checks all of them if they are
// at most 256, otherwise some in turn, and all when nothing else can run.
//
// # The limits
//
// What happens outside is not simulated: other goroutines, the network, real
// clocks, and also functions that the standard library runs on its own
// goroutines, as context.AfterFunc does. (The simulation itself tells jobs and
// machines that wait of the end of their contexts, after the step that has ended
// these.) Before it reports a deadlock, the simulation waits until no other
// goroutine of the process runs or could run, for a second at most. It does not
// see events that are still to come from elsewhere: from the network, or from a
// timer of package time, such as that of context.WithTimeout; job.WithTimeout is
// on the virtual clock. The result then differs between runs. In a bubble of
// testing/synctest, and with the option [Outside], it does not.
package simulation
