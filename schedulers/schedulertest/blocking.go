package schedulertest

import (
	"errors"
	"runtime"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

// blockingChecks apply if the workers of the scheduler announce that they block.
func blockingChecks() []check {
	blocker := func(has capabilities, _ config) bool { return has.blocker }
	return []check{
		{"waits nested deeper than the number of workers do not hang", blocker, nestedWaits},
		{"blocking and unblocking under load loses neither work nor workers", blocker, blockStorm},
		{"Block from a foreign goroutine is harmless", blocker, foreignBlock},
	}
}

// block announces, for the worker on, a wait for work of the same scheduler, which will
// close done.
func block(on schedulers.Worker, done <-chan struct{}) (unblock func(), err error) {
	if w, ok := on.(dispatch.HomeBlocker); ok {
		return w.BlockFor(on.Scheduler(), done)
	}
	if w, ok := on.(schedulers.Blocker); ok {
		return w.Block()
	}
	return func() {}, nil
}

// nestedWaits builds chains in which each work item waits for the next, which is queued
// behind it. There are two correct outcomes: the scheduler runs the next one, or it
// returns ErrWouldDeadlock, after which the work does not wait.
func nestedWaits(e *env) {
	const chains, depth = 4, 16
	l := e.ledger(e.new())
	over := make(chan struct{})
	l.Cleanup(func() { close(over) }) // releases the work items that still wait
	var link func(left int, ran chan<- struct{}) func(schedulers.Worker)
	link = func(left int, ran chan<- struct{}) func(schedulers.Worker) {
		return func(on schedulers.Worker) {
			defer close(ran)
			if left == 0 {
				return
			}
			next := make(chan struct{})
			l.submit(link(left-1, next), schedulers.Hint{From: on})
			unblock, err := block(on, next)
			if err != nil {
				l.checkRefusal(unblock, err)
				return
			}
			select {
			case <-next:
			case <-over:
			}
			unblock()
		}
	}
	for range chains {
		l.submit(link(depth-1, make(chan struct{})), schedulers.Hint{})
	}
	l.until("works that wait for works behind them hang, although Block announced each wait",
		func(t tally) bool { return t.ended == chains*depth })
	l.finish()
}

func (l *ledger) checkRefusal(unblock func(), err error) {
	l.Helper()
	if !errors.Is(err, schedulers.ErrWouldDeadlock) {
		l.Errorf("Block returned the error %v; it may return only ErrWouldDeadlock", err)
	}
	if unblock != nil {
		l.Error("Block returned both an error and a function")
	}
}

// blockStorm lets every work item block and continue, and then checks whether as
// many work items run at a time as before: no worker was lost or gained.
func blockStorm(e *env) {
	l := e.ledger(e.new())
	for range e.times(500) {
		l.submit(func(on schedulers.Worker) {
			l.submit(nil, schedulers.Hint{From: on})
			if b, ok := on.(schedulers.Blocker); ok {
				if unblock, err := b.Block(); err == nil {
					runtime.Gosched()
					unblock()
				}
			}
			l.submit(nil, schedulers.Hint{From: on})
		}, schedulers.Hint{})
	}
	l.awaitSettled()
	if l.has.limiter {
		measureLimit(l)
	}
	l.finish()
}

// foreignBlock keeps a worker after its work, and announces blocking on its behalf from
// another goroutine: when the worker has long been idle, and again while it runs work.
func foreignBlock(e *env) {
	l := e.ledger(e.new())
	b, ok := l.worker().(schedulers.Blocker)
	if !ok {
		return // this worker is not the one that was examined
	}
	for range 100 {
		unblock, err := b.Block()
		for range 10 {
			l.submit(func(on schedulers.Worker) { l.submit(nil, schedulers.Hint{From: on}) }, schedulers.Hint{})
		}
		if err == nil {
			unblock()
		}
		l.awaitSettled()
	}
	l.finish()
}
