package schedulertest

import (
	"runtime"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// bubbleChecks require that a scheduler made inside a testing/synctest bubble works
// there.
func bubbleChecks() []check {
	bubbles := func(_ capabilities, c config) bool { return !c.noBubble }
	return []check{
		{"a scheduler made inside a synctest bubble works there", bubbles, insideBubble},
		{"bubbles at the same time, and load outside, do not disturb each other", bubbles, bubblesBesideLoad},
	}
}

func insideBubble(e *env) { e.inBubble(life) }

// life exercises a bit of everything, with hours of the bubble's time in between. That
// these pass at all shows that an idle worker counts as idle in the bubble.
func life(e *env) {
	l := e.ledger(e.new())
	timers, hasTimers := l.sched.(schedulers.Timers)
	for hour := range 3 {
		if hasTimers {
			rang := make(chan struct{})
			timers.StartTimer(&newAlarm(func() {
				l.submit(func(schedulers.Worker) { close(rang) }, schedulers.Hint{})
			}).Timer, time.Duration(hour)*time.Second)
			e.await(rang, "work submitted by a timer's expiry did not run")
		}
		for n := range 50 {
			l.submit(func(on schedulers.Worker) {
				l.submit(nil, schedulers.Hint{From: on})
				switch n {
				case 10:
					panic(errDeliberate)
				case 20:
					runtime.Goexit()
				case 30:
					time.Sleep(time.Hour)
				}
			}, schedulers.Hint{Flags: schedulers.Flags(n % 8)})
		}
		l.awaitSettled()
		time.Sleep(time.Hour)
	}
	l.finish()
}

func bubblesBesideLoad(e *env) {
	outside := e.ledger(e.new())
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			ran := make(chan struct{})
			outside.submit(func(on schedulers.Worker) {
				outside.submit(func(schedulers.Worker) { close(ran) }, schedulers.Hint{From: on})
			}, schedulers.Hint{})
			select {
			case <-ran:
			case <-stop:
				return
			}
		}
	}()
	// Parallel subtests begin when this function returns; so the load ends in Cleanup,
	// which runs after them.
	e.Cleanup(func() {
		close(stop)
		<-stopped
		outside.finish()
	})
	e.parallel(4, insideBubble)
}
