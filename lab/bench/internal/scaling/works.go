package scaling

// Work is a way to use the library, as a model.
type Work struct {
	Name string

	On func(costs Costs, n int) Layout // n cores
}

// Layout is what the cores do, and share.
type Layout struct {
	Operations [][]Step // one for each core; those of the producers first
	Producers  int      // their operations are not counted
	Queue      *Queue   // between the producers and the others
	Entry      *Line    // that the producers share
	Exit       *Line    // that the others share, or nil
}

// Prediction is the outcome for one number of cores.
type Prediction struct {
	PerMicrosecond float64 // operations, of all cores
	Bottleneck     string  // what keeps more cores from doing more; empty: nothing
}

// Predict simulates w on n cores.
func (w Work) Predict(costs Costs, n int) Prediction {
	const ns = 1_000_000
	l := w.On(costs, n)
	total := 0
	for _, done := range Run(costs, ns, l.Operations)[l.Producers:] {
		total += done
	}
	return Prediction{float64(total) / ns * 1000, l.bottleneck(ns)}
}

// Producers is the bottleneck if all others wait for what the producers make.
const Producers = "the producers"

// saturated is the part of the time for which a line is in use when more cores do not help.
const saturated = 0.9

// bottleneck is called after a simulation of ns nanoseconds.
func (l Layout) bottleneck(ns float64) string {
	full := func(line *Line) bool { return line != nil && line.used > saturated*ns }
	// The others take what the producers make, and wait for more.
	starved := l.Queue != nil && l.Queue.items <= len(l.Operations)
	switch {
	case starved && full(l.Entry):
		return l.Entry.Name
	case starved:
		return Producers
	case full(l.Exit):
		return l.Exit.Name
	}
	return ""
}

// The prices of the parts of an operation that no other core disturbs, in nanoseconds. With the
// costs of the lines they add up to what the benchmarks measure on two cores, the collector's
// share included: 119 ns for W1, whose producer is the slower core, and 125 for W3.
const (
	makeJob  = 110 // make a job, and look at its result when it has ended
	runJob   = 60  // call the function of a job, complete the job
	queueing = 4   // what is done in a queue under its lock
	forkJob  = 240 // W3, wait: start a job and run it where it is awaited
	message  = 79  // W8: half of a round trip
	look     = 1   // read the flag of a queue, which no other core has written meanwhile
)

// The shared lines, as in the list of docs/laboratory.md.
const (
	inboxLock = "the inbox's lock"
	poolLock  = "the pool's lock"
	localLock = "the lock of the loop's queue"
)

// Works returns all models.
func Works() []Work {
	return []Work{
		started("empty jobs from outside, one producer", 0, one),
		started("empty jobs from outside, half of the cores produce", 0, half),
		started("jobs of 1 µs from outside, a quarter of the cores produce", 1000, quarter),
		started("jobs of 10 µs from outside, one producer", 10_000, one),
		stolen("a job starts empty jobs, the others steal them", 0),
		stolen("a job starts jobs of 1 µs, the others steal them", 1000),
		{"empty jobs that jobs start and await (W3, wait)", awaited},
		{"messages of pairs of machines (W8)", pairs},
	}
}

func one(int) int       { return 1 }
func half(n int) int    { return max(1, n/2) }
func quarter(n int) int { return max(1, n/4) }

// started is W1: producers outside of the pool start jobs that take ns.
//
//	producer   makes the job; the inbox's lock; reads needsDispatch, which seldom changes
//	worker     the pool's lock, to take a work item; the job's line, which the producer has
//	           written: the job is claimed, run and completed
func started(name string, ns float64, producers func(n int) int) Work {
	return Work{name, func(_ Costs, n int) Layout {
		inbox, pool, queue := &Line{Name: inboxLock}, &Line{Name: poolLock}, new(Queue)
		start := []Step{Compute(makeJob), Section(inbox, queueing), Put(queue)}
		serve := []Step{Take(queue), Section(pool, queueing), Fetch(), Compute(runJob + ns)}
		if n == 1 { // the same core does both, and has all lines
			return alike(1, append(start, Take(queue), Section(pool, queueing), Compute(runJob+ns)))
		}
		l := alike(n, serve)
		l.Producers, l.Queue, l.Entry, l.Exit = producers(n), queue, inbox, pool
		for i := range l.Producers {
			l.Operations[i] = start
		}
		return l
	}}
}

// alike is n cores that do the same and share nothing.
func alike(n int, operation []Step) Layout {
	l := Layout{Operations: make([][]Step, n)}
	for i := range l.Operations {
		l.Operations[i] = operation
	}
	return l
}

// awaited shares nothing: a job, its parent and the worker's queue belong to one core. The lines
// of a stolen half move once, for thousands of jobs.
func awaited(_ Costs, n int) Layout { return alike(n, []Step{Compute(forkJob)}) }

// pairs shares nothing while the machines of a pair stay on one worker, which takes what it has
// made ready itself.
func pairs(_ Costs, n int) Layout { return alike(n, []Step{Compute(message)}) }

// stolen is a loop in a job that starts jobs of ns and waits for none.
//
//	the loop   makes the job; the lock of its worker's queue
//	a thief    under the pool's lock: the flags of the queues in their order, then the lock
//	           of the one that has work, which moves; the job's line
func stolen(name string, ns float64) Work {
	return Work{name, func(costs Costs, n int) Layout {
		pool, local, queue := &Line{Name: poolLock}, &Line{Name: localLock}, new(Queue)
		start := []Step{Compute(makeJob), Section(local, queueing), Put(queue)}
		if n == 1 {
			return alike(1, append(start, Take(queue), Section(local, queueing), Compute(runJob+ns)))
		}
		search := queueing + look*float64(n)/2
		l := alike(n, []Step{
			Take(queue), Section(pool, search+costs.Move), Section(local, queueing),
			Fetch(), Compute(runJob + ns),
		})
		l.Producers, l.Queue, l.Entry, l.Exit = 1, queue, local, pool
		l.Operations[0] = start
		return l
	}}
}
