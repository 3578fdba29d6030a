package schedulertest

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// timerChecks apply if the scheduler has timers. They run inside a bubble if the
// scheduler works there, since time stands still in a bubble while anything runs.
func timerChecks() []check {
	timers := func(has capabilities, _ config) bool { return has.timers }
	exact := func(has capabilities, c config) bool { return has.timers && !c.noBubble }
	return []check{
		{"timers expire in the order of their times, equal ones in the order of arming", exact, inOwnBubble(timerOrder)},
		{"a timer does not expire before its time", timers, inOwnBubble(timerNotEarly)},
		{"a timer of zero or less expires, and not inside StartTimer", timers, inOwnBubble(timerZero)},
		{"a stopped timer does not expire", timers, inOwnBubble(timerStop)},
		{"StopTimer after the expiry returns false", timers, inOwnBubble(timerStopLate)},
		{"a timer can be armed again", timers, inOwnBubble(timerAgain)},
		{"StopTimer racing the expiry: one of the two wins", timers, timerRace},
		{"a timer armed before Shutdown expires nevertheless", timers, inOwnBubble(timerOutlives)},
	}
}

// inOwnBubble runs f inside a bubble, unless the scheduler cannot work there.
func inOwnBubble(f func(*env)) func(*env) {
	return func(e *env) {
		if e.noBubble {
			f(e)
		} else {
			e.inBubble(f)
		}
	}
}

// alarm is a timer that calls a function.
type alarm struct {
	schedulers.Timer
	do      func()
	expired atomic.Int64
}

func (a *alarm) Expire(t *schedulers.Timer) {
	if t == &a.Timer {
		a.expired.Add(1)
	}
	if a.do != nil {
		a.do()
	}
}

func newAlarm(do func()) *alarm {
	a := &alarm{do: do}
	a.OnExpire = a
	return a
}

// newTimed returns the ledger of a new scheduler, and its timers.
func (e *env) newTimed() (*ledger, schedulers.Timers) {
	s := e.new()
	return e.ledger(s), s.(schedulers.Timers)
}

func timerOrder(e *env) {
	const n = 500
	l, timers := e.newTimed()
	var mu sync.Mutex
	var got []int
	all := make(chan struct{})
	delay := func(i int) time.Duration { return time.Duration(i*7919%50) * time.Millisecond }
	for i := range n {
		timers.StartTimer(&newAlarm(func() {
			mu.Lock()
			defer mu.Unlock()
			if got = append(got, i); len(got) == n {
				close(all)
			}
		}).Timer, delay(i))
	}
	e.await(all, "%d timers did not all expire", n)
	for k := 1; k < n; k++ {
		if a, b := got[k-1], got[k]; delay(a) > delay(b) {
			l.Fatalf("a timer of %v expired before one of %v", delay(a), delay(b))
		} else if delay(a) == delay(b) && a > b {
			l.Fatalf("of two timers of %v, the one armed later expired first", delay(a))
		}
	}
	l.finish()
}

func timerNotEarly(e *env) {
	l, timers := e.newTimed()
	for _, d := range []time.Duration{time.Microsecond, 500 * time.Microsecond, 3 * time.Millisecond, 20 * time.Millisecond} {
		expired := make(chan struct{})
		started := time.Now()
		timers.StartTimer(&newAlarm(func() { close(expired) }).Timer, d)
		e.await(expired, "a timer of %v did not expire", d)
		if past := time.Since(started); past < d {
			l.Errorf("a timer of %v expired after %v", d, past)
		}
	}
	l.finish()
}

// timerZero arms a timer while it holds a lock that the expiry needs, as a caller
// with a lock of its own might.
func timerZero(e *env) {
	l, timers := e.newTimed()
	for _, d := range []time.Duration{0, -1, -time.Hour, math.MinInt64} {
		expired := make(chan struct{})
		timers.StartTimer(&newAlarm(func() { close(expired) }).Timer, d)
		e.await(expired, "a timer of %v did not expire", d)
	}
	lock := make(chan struct{}, 1)
	expired := make(chan struct{})
	armed := make(chan struct{})
	over := make(chan struct{})
	e.Cleanup(func() { close(over) }) // releases a hanging expiry
	go func() {
		defer close(armed)
		lock <- struct{}{}
		timers.StartTimer(&newAlarm(func() {
			select {
			case lock <- struct{}{}:
				close(expired)
			case <-over:
			}
		}).Timer, 0)
		<-lock
	}()
	e.await(armed, "StartTimer calls OnExpire itself: a caller that arms a timer under a lock hangs")
	e.await(expired, "a timer of zero did not expire")
	l.finish()
}

// timerStop stops every second one of many timers, and waits for one that expires after
// all of them.
func timerStop(e *env) {
	l, timers := e.newTimed()
	far := newAlarm(nil)
	timers.StartTimer(&far.Timer, math.MaxInt64) // armed first, and never due
	if !timers.StopTimer(&far.Timer) {
		l.Error("a timer for the end of time could not be stopped")
	}
	var alarms []*alarm
	for i := range 200 {
		a := newAlarm(nil)
		alarms = append(alarms, a)
		timers.StartTimer(&a.Timer, 40*time.Millisecond+time.Duration(i*37%100)*time.Microsecond)
	}
	var stopped []bool
	for i, a := range alarms {
		stopped = append(stopped, i%2 == 0 && timers.StopTimer(&a.Timer))
		if stopped[i] && timers.StopTimer(&a.Timer) {
			l.Error("StopTimer returned true twice for one arming")
		}
	}
	last := make(chan struct{})
	timers.StartTimer(&newAlarm(func() { close(last) }).Timer, 60*time.Millisecond)
	e.await(last, "the last timer did not expire")
	l.finish()
	wrong := 0
	for i, a := range alarms {
		if a.expired.Load() == 1 == stopped[i] {
			wrong++
		}
	}
	if wrong > 0 {
		l.Errorf("of %d timers %d expired after they had been stopped, or did not expire without having been", len(alarms), wrong)
	}
	if !slices.Contains(stopped, true) && !e.noBubble {
		l.Error("StopTimer returned false for timers that were armed and had not expired")
	}
}

func timerStopLate(e *env) {
	l, timers := e.newTimed()
	if timers.StopTimer(&newAlarm(nil).Timer) {
		l.Error("StopTimer returned true for a timer that was never armed")
	}
	expired := make(chan bool, 1)
	var a *alarm
	a = newAlarm(func() { expired <- timers.StopTimer(&a.Timer) })
	timers.StartTimer(&a.Timer, time.Millisecond)
	select {
	case stopped := <-expired:
		if stopped {
			l.Error("StopTimer returned true from inside the timer's own expiry")
		}
	case <-e.deadline():
		l.Fatal("a timer whose expiry calls StopTimer did not get through")
	}
	if timers.StopTimer(&a.Timer) {
		l.Error("StopTimer returned true after the expiry")
	}
	l.finish()
}

// timerAgain uses one timer for many expiries, armed from inside the expiry and, in
// between, stopped and armed again.
func timerAgain(e *env) {
	const rounds = 300
	l, timers := e.newTimed()
	done := make(chan struct{})
	var a *alarm
	a = newAlarm(func() {
		if a.expired.Load() == rounds {
			close(done)
			return
		}
		timers.StartTimer(&a.Timer, time.Hour)
		if !timers.StopTimer(&a.Timer) {
			l.Error("StopTimer returned false for a timer of an hour that was armed just now")
		}
		timers.StartTimer(&a.Timer, time.Microsecond)
	})
	timers.StartTimer(&a.Timer, 0)
	e.await(done, "a timer that arms itself again stopped expiring")
	l.finish()
}

// timerRace runs on the real clock, so that StopTimer and the expiry race.
func timerRace(e *env) {
	const n = 2000
	l, timers := e.newTimed()
	alarms, stopped := make([]*alarm, n), make([]bool, n)
	var outcomes atomic.Int64
	all := make(chan struct{})
	outcome := func() {
		if outcomes.Add(1) == n {
			close(all)
		}
	}
	for i := range alarms {
		alarms[i] = newAlarm(outcome)
		timers.StartTimer(&alarms[i].Timer, time.Duration(i%300)*time.Microsecond)
		if k := i - 50; k >= 0 {
			if stopped[k] = timers.StopTimer(&alarms[k].Timer); stopped[k] {
				outcome()
			}
		}
	}
	e.await(all, "a timer was neither stopped nor did it expire")
	l.finish()
	for i, a := range alarms {
		if n := a.expired.Load(); n > 1 || n == 1 == stopped[i] {
			l.Fatalf("timer %d expired %d times and StopTimer returned %v", i, n, stopped[i])
		}
	}
}

// timerOutlives checks timers of a scheduler that was shut down: a machine that sleeps when
// its home is shut down must wake up on some goroutine, to run its deferred functions.
func timerOutlives(e *env) {
	l, timers := e.newTimed()
	expired := make(chan struct{})
	timers.StartTimer(&newAlarm(func() { close(expired) }).Timer, 20*time.Millisecond)
	l.shutdown()
	e.await(expired, "a timer was lost in Shutdown")
}
