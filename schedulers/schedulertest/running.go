package schedulertest

import (
	"sync"

	"github.com/movenext/movenext/schedulers"
)

// runningChecks require the basic promise: accepted work runs once.
func runningChecks() []check {
	return []check{
		{"each accepted work runs exactly once", always, runsOnce},
		{"submissions from many goroutines all run", always, submitFromMany},
		{"submissions from inside work all run", always, submitFromInside},
		{"work resubmitted from inside its own Run runs again", always, resubmit},
		{"a burst after an idle moment is served", always, burstAfterIdle},
		{"flags lose no work", always, allFlags},
		{"work of a type that cannot be compared is accepted", always, uncomparable},
		{"nil work is refused, not run", always, nilWork},
		{"Submit does not run the work itself", notInPlace, submitReturnsFirst},
		{"Submit does not wait for busy workers", queues, submitWhileBusy},
		{"resumed work is not refused for lack of room", queues, resumedHasRoom},
		{"workers that run at the same time have different IDs", always, workerIDs},
	}
}

func notInPlace(_ capabilities, c config) bool { return !c.inPlace }

// queues reports whether work can be submitted while all workers are held.
func queues(_ capabilities, c config) bool { return !c.inPlace && !c.blocks }

func runsOnce(e *env) {
	l := e.ledger(e.new())
	for range e.times(2000) {
		l.submit(nil, schedulers.Hint{})
	}
	l.finish()
	l.checkNoneAbandoned()
}

func submitFromMany(e *env) {
	l := e.ledger(e.new())
	var submitters sync.WaitGroup
	for range 8 {
		submitters.Go(func() {
			for range e.times(500) {
				l.submit(nil, schedulers.Hint{})
			}
		})
	}
	submitters.Wait()
	l.finish()
	l.checkNoneAbandoned()
}

// submitFromInside builds a tree of work items. Each submits its children from the worker
// that it runs on.
func submitFromInside(e *env) {
	l := e.ledger(e.new())
	var node func(depth int) func(schedulers.Worker)
	node = func(depth int) func(schedulers.Worker) {
		return func(on schedulers.Worker) {
			if depth > 0 {
				l.submit(node(depth-1), schedulers.Hint{From: on})
				l.submit(node(depth-1), schedulers.Hint{From: on, Flags: schedulers.PreferFairness})
			}
		}
	}
	l.submit(node(9), schedulers.Hint{})
	l.until("a tree of 1023 works, each submitted by its parent, did not run completely", func(t tally) bool {
		return t.ended == 1<<10-1
	})
	l.finish()
}

// resubmit submits the running work again, from inside, as a state machine does at each
// suspension.
func resubmit(e *env) {
	hops := e.times(1000)
	l := e.ledger(e.new())
	for range 4 {
		var self *probe
		left := hops
		self = l.probe(func(on schedulers.Worker) {
			if left--; left > 0 {
				if err := l.offer(self, schedulers.Hint{From: on, Flags: schedulers.Resumed}); err != nil {
					l.Errorf("work could not be submitted again from inside its own Run: %v", err)
				}
			}
		})
		if err := l.offer(self, schedulers.Hint{}); err != nil {
			l.Errorf("Submit refused work without a reason: %v", err)
		}
	}
	l.until("work that submits itself again stopped moving", func(t tally) bool { return t.ended == 4*hops })
	l.finish()
}

// burstAfterIdle checks for lost wake-ups: again and again, work arrives when all workers
// have just found nothing to do.
func burstAfterIdle(e *env) {
	l := e.ledger(e.new())
	for round := range e.times(500) {
		var submitters sync.WaitGroup
		for range 1 + round%3 {
			submitters.Go(func() { l.submit(nil, schedulers.Hint{}) })
		}
		submitters.Wait()
		l.awaitSettled()
	}
	l.finish()
}

func allFlags(e *env) {
	l := e.ledger(e.new())
	const end = schedulers.Resumed << 1
	for f := schedulers.Flags(0); f < end; f++ {
		for range 20 {
			l.submit(func(on schedulers.Worker) {
				l.submit(nil, schedulers.Hint{From: on, Flags: f})
			}, schedulers.Hint{Flags: f})
		}
	}
	l.until("work with flags did not run", func(t tally) bool { return t.ended == 2*20*int(end) })
	l.finish()
}

// plain is a Work that cannot be compared, and so cannot be the key of a map.
type plain func(schedulers.Worker)

func (f plain) Run(on schedulers.Worker) { f(on) }
func (f plain) Abandon(error)            {}

func uncomparable(e *env) {
	l := e.ledger(e.new())
	ran := make(chan struct{}, 2)
	for range 2 {
		if err := l.trySubmit(plain(func(schedulers.Worker) { ran <- struct{}{} }), schedulers.Hint{}); err != nil {
			l.Fatalf("Submit refused a func that implements Work: %v", err)
		}
	}
	e.await(ran, "a func that implements Work was not run")
	e.await(ran, "the second of two funcs that implement Work was not run")
	l.finish()
}

func nilWork(e *env) {
	l := e.ledger(e.new())
	if l.trySubmit(nil, schedulers.Hint{}) == nil {
		l.Error("Submit accepted a nil Work")
	}
	l.submit(nil, schedulers.Hint{})
	l.finish()
}

func submitReturnsFirst(e *env) {
	l := e.ledger(e.new())
	returned, over := make(chan struct{}), make(chan struct{})
	go func() {
		l.submit(func(schedulers.Worker) {
			defer close(over)
			select {
			case <-returned:
			case <-l.deadline():
				l.Error("Submit does not return before the work has ended: it runs it itself")
			}
		}, schedulers.Hint{})
		close(returned)
	}()
	<-over // after the deadline at the latest
	l.finish()
}

// submitWhileBusy holds every worker in a gate and submits more.
func submitWhileBusy(e *env) {
	l := e.ledger(e.new())
	held, open := l.newGate()
	submitted := make(chan struct{})
	go func() {
		defer close(submitted) // after the gate has opened at the latest
		for range 64 {
			_ = l.offer(l.probe(held), schedulers.Hint{})
		}
		for range 200 {
			_ = l.offer(l.probe(nil), schedulers.Hint{})
		}
	}()
	l.await(submitted, "Submit blocks while all workers are busy")
	open()
	l.finish()
}

// newGate returns the body of work items that stay in Run until open is called. It is also
// called at the end of the check.
func (l *ledger) newGate() (body func(schedulers.Worker), open func()) {
	closed := make(chan struct{})
	open = sync.OnceFunc(func() { close(closed) })
	l.Cleanup(open)
	return func(schedulers.Worker) { <-closed }, open
}

// gate submits n work items that are held. A scheduler with a bounded queue may refuse some
// of them.
func (l *ledger) gate(n int, hint schedulers.Hint) (open func()) {
	body, open := l.newGate()
	for range n {
		_ = l.offer(l.probe(body), hint)
	}
	return open
}

// resumedHasRoom fills the queue as far as possible, and then submits work with the flag
// Resumed.
func resumedHasRoom(e *env) {
	l := e.ledger(e.new())
	open := l.gate(64, schedulers.Hint{})
	for range e.times(5000) {
		if l.offer(l.probe(nil), schedulers.Hint{}) != nil {
			break
		}
	}
	for range 10 {
		if err := l.offer(l.probe(nil), schedulers.Hint{Flags: schedulers.Resumed}); err != nil {
			l.Errorf("a scheduler that is alive refused resumed work: %v", err)
			break
		}
	}
	open()
	l.finish()
}

func workerIDs(e *env) {
	l := e.ledger(e.new())
	var mu sync.Mutex
	busy := make(map[int]bool)
	together := e.overlap(l.sched)
	for range e.times(500) {
		l.submit(func(on schedulers.Worker) {
			if on == nil {
				return // work may run without a worker
			}
			id := on.ID()
			mu.Lock()
			if id < 1 {
				l.Errorf("a worker has the ID %d; IDs start at 1", id)
			}
			if on.Scheduler() == nil {
				l.Error("a worker's Scheduler is nil")
			}
			if busy[id] {
				l.Errorf("two works run at the same time on workers with the same ID %d", id)
			}
			busy[id] = true
			mu.Unlock()
			together()
			mu.Lock()
			busy[id] = false
			mu.Unlock()
		}, schedulers.Hint{})
	}
	l.finish()
}
