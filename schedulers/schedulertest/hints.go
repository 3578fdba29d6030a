package schedulertest

import (
	"reflect"
	"sync"

	"github.com/movenext/movenext/schedulers"
)

// hintChecks require that a hint never does harm. Users pass contexts to other
// goroutines, so each of these wrong hints happens in correct programs.
func hintChecks() []check {
	return []check{
		{"a hint that names another scheduler's worker is harmless", always, hintOfAnother},
		{"a hint that names a worker of an unknown kind is harmless", always, hintOfUnknownKind},
		{"a hint that names a nil worker of its own kind is harmless", always, hintOfTypedNil},
		{"a hint that names a worker that is idle or has ended is harmless", always, hintOfIdle},
		{"a hint used by other goroutines while the worker works is harmless", always, hintFromOutside},
	}
}

// worker returns a worker of l's scheduler, or nil, after the work that found it has
// ended.
func (l *ledger) worker() schedulers.Worker {
	l.Helper()
	var seen schedulers.Worker
	ran := make(chan struct{})
	l.submit(func(on schedulers.Worker) { seen = on; close(ran) }, schedulers.Hint{})
	l.await(ran, "work submitted to learn about a worker did not run")
	l.awaitSettled()
	return seen
}

func (l *ledger) submitWith(from schedulers.Worker) {
	l.Helper()
	for range l.times(300) {
		l.submit(nil, schedulers.Hint{From: from})
		l.submit(func(schedulers.Worker) { l.submit(nil, schedulers.Hint{From: from}) }, schedulers.Hint{})
	}
	l.finish()
	l.checkNoneAbandoned()
}

func hintOfAnother(e *env) {
	other := e.ledger(e.new())
	from := other.worker()
	e.ledger(e.new()).submitWith(from)
	other.shutdown()
	e.ledger(e.new()).submitWith(from) // now the worker's scheduler has ended
}

// stranger is a worker that no scheduler of the test knows.
type stranger struct{ scheduler schedulers.Scheduler }

func (s stranger) Scheduler() schedulers.Scheduler { return s.scheduler }
func (stranger) ID() int                           { return 1 }

func hintOfUnknownKind(e *env) {
	l := e.ledger(e.new())
	// It claims to belong to this very scheduler; only its type shows that it does not.
	l.submitWith(stranger{scheduler: l.sched})
}

func hintOfTypedNil(e *env) {
	l := e.ledger(e.new())
	from := l.worker()
	if from != nil && reflect.TypeOf(from).Kind() == reflect.Pointer {
		from = reflect.Zero(reflect.TypeOf(from)).Interface().(schedulers.Worker)
	}
	l.submitWith(from)
}

// hintOfIdle lets the worker become idle before each submission that names it. If idle
// workers end, the hint names a worker that has ended, and some submissions coincide with
// its end.
func hintOfIdle(e *env) {
	l := e.ledger(e.new())
	from := l.worker()
	for round := range e.times(500) {
		var submitters sync.WaitGroup
		for range 1 + round%3 {
			submitters.Go(func() { l.submit(nil, schedulers.Hint{From: from}) })
		}
		submitters.Wait()
		l.awaitSettled()
	}
	l.finish()
	l.checkNoneAbandoned()
}

// hintFromOutside submits to the worker's own queue from several goroutines while the
// worker itself does so too. A queue without a lock fails here, most reliably under the
// race detector.
func hintFromOutside(e *env) {
	l := e.ledger(e.new())
	learned := make(chan schedulers.Worker, 1)
	l.submit(func(on schedulers.Worker) {
		learned <- on
		for range e.times(2000) {
			l.submit(nil, schedulers.Hint{From: on})
		}
	}, schedulers.Hint{})
	var from schedulers.Worker
	select {
	case from = <-learned:
	case <-l.deadline():
		l.Fatal("work submitted to learn about a worker did not run")
	}
	var submitters sync.WaitGroup
	for range 4 {
		submitters.Go(func() {
			for range e.times(500) {
				l.submit(nil, schedulers.Hint{From: from})
			}
		})
	}
	submitters.Wait()
	l.finish()
	l.checkNoneAbandoned()
}
