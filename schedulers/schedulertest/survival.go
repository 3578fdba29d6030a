package schedulertest

import (
	"errors"
	"runtime"

	"github.com/movenext/movenext/schedulers"
)

// survivalChecks require that no work can harm the scheduler that runs it. Each check
// misbehaves often enough to affect every worker.
func survivalChecks() []check {
	return []check{
		{"a panic in work kills no worker", always, survivePanic},
		{"runtime.Goexit in work kills no worker", always, surviveGoexit},
		{"Goexit and a panic together kill no worker", always, surviveBoth},
		{"work that panics after it was resubmitted runs again", always, panicAfterResubmit},
		{"long-running work that panics or exits is survived", always, surviveLongRunning},
	}
}

var errDeliberate = errors.New("schedulertest: a panic on purpose")

const tries = 200

// survive submits bad work and good work in turn, waits for both, and then submits more.
func survive(e *env, bad func(schedulers.Worker), hint schedulers.Hint) {
	l := e.ledger(e.new())
	for range tries {
		l.submit(bad, hint)
		l.submit(nil, hint)
	}
	l.awaitSettled()
	for range tries {
		l.submit(nil, schedulers.Hint{})
	}
	l.finish()
	l.checkNoneAbandoned()
}

func survivePanic(e *env) {
	survive(e, func(schedulers.Worker) { panic(errDeliberate) }, schedulers.Hint{})
}

func surviveGoexit(e *env) {
	survive(e, func(schedulers.Worker) { runtime.Goexit() }, schedulers.Hint{})
}

// surviveBoth tries both orders. In the first, the scheduler's recover succeeds and the
// goroutine still dies; in the second, nothing is left to recover.
func surviveBoth(e *env) {
	survive(e, func(schedulers.Worker) {
		defer func() { panic(errDeliberate) }()
		runtime.Goexit()
	}, schedulers.Hint{})
	survive(e, func(schedulers.Worker) {
		defer runtime.Goexit()
		panic(errDeliberate)
	}, schedulers.Hint{})
}

func surviveLongRunning(e *env) {
	long := schedulers.Hint{Flags: schedulers.LongRunning}
	survive(e, func(schedulers.Worker) { panic(errDeliberate) }, long)
	survive(e, func(schedulers.Worker) { runtime.Goexit() }, long)
}

// panicAfterResubmit catches schedulers that touch a work item after its Run:
// when the panic arrives, that work may already be queued or running elsewhere.
func panicAfterResubmit(e *env) {
	const hops = 200
	l := e.ledger(e.new())
	var self *probe
	left := hops
	self = l.probe(func(on schedulers.Worker) {
		if left--; left > 0 {
			_ = l.offer(self, schedulers.Hint{From: on, Flags: schedulers.Resumed})
			panic(errDeliberate)
		}
	})
	_ = l.offer(self, schedulers.Hint{})
	l.until("work that resubmits itself and then panics stopped moving", func(t tally) bool { return t.ended == hops })
	l.finish()
}
