package schedulertest

import (
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

// yieldingChecks require that work which waits for nothing but its turn lets others have theirs.
func yieldingChecks() []check {
	givesWay := func(has capabilities, c config) bool { return has.givesWay && queues(has, c) }
	return []check{
		{"a loop that yields lets work from outside run", givesWay, yieldToOutside},
		{"a loop that yields lets another one run", givesWay, yieldToAnother},
	}
}

// mostYields is how often work yields to work that was queued before, with one worker. With more
// of them, the other work may have begun elsewhere and be slow.
const mostYields = 64

// yieldUntil yields until done is closed.
func (l *ledger) yieldUntil(on schedulers.Worker, done <-chan struct{}) {
	one := false
	if limiter, is := l.sched.(schedulers.Limiter); is {
		one = limiter.MaxConcurrency() == 1
	}
	for n, late := 0, l.deadline(); ; n++ {
		select {
		case <-done:
			return
		case <-late:
			l.Errorf("work was queued before %d yields, and has not run", n)
			return
		default:
		}
		if one && n > mostYields {
			l.Errorf("work was queued before %d yields of the only worker, and has not run", n)
			return
		}
		if err := dispatch.Yield(on, l.sched); err != nil {
			l.Errorf("a turn was refused: %v", err)
			return
		}
	}
}

// yieldToOutside queues work from outside while the only worker, or one of them, is busy.
func yieldToOutside(e *env) {
	l := e.ledger(e.new())
	begun, queued, ran := make(chan struct{}), make(chan struct{}), make(chan struct{})
	l.submit(func(on schedulers.Worker) {
		close(begun)
		<-queued
		l.yieldUntil(on, ran)
	}, schedulers.Hint{})
	l.await(begun, "work did not begin")
	l.submit(func(schedulers.Worker) { close(ran) }, schedulers.Hint{})
	close(queued)
	l.finish()
	l.checkNoneAbandoned()
}

// yieldToAnother lets two loops yield, each of which ends when the other one has had a turn.
func yieldToAnother(e *env) {
	l := e.ledger(e.new())
	begun := [2]chan struct{}{make(chan struct{}), make(chan struct{})}
	queued := make(chan struct{}) // both are
	for i := range begun {
		l.submit(func(on schedulers.Worker) {
			close(begun[i])
			<-queued
			l.yieldUntil(on, begun[1-i])
		}, schedulers.Hint{})
	}
	close(queued)
	l.finish()
	l.checkNoneAbandoned()
}
