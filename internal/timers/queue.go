package timers

import (
	"math"
	"runtime"
	"time"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// Queue holds armed timers. It implements [schedulers.Timers], and is meant to be
// embedded in a scheduler. The zero value is ready; a Queue must not be
// copied after first use. All methods are safe for concurrent use, and none
// blocks.
type Queue struct {
	mu   interleave.Mutex
	fifo fifo // timers that were armed in the order of their times
	heap heap // all other timers

	// The clock: when of an entry counts nanoseconds from base, which is
	// the moment of the first StartTimer.
	base     time.Time
	armCount int64 // how many timers were ever armed; orders timers of the same time

	inRow int // sleepers since the last timer that was put into the fifo; see block.go

	// alarm is the one timer of the Go runtime, or nil until it is first needed. alarmTime is the
	// time at which it will fire, or never.
	alarm     *interleave.Timer
	alarmTime int64

	firing  bool     // a goroutine is in fire; it will set the alarm when it is done
	scratch []expiry // empty; its memory is for the next firing
}

const (
	never = math.MaxInt64
	batch = 64 // timers taken in one critical section
)

// StartTimer arms t to expire after d, counted from now. A d of zero or less expires as
// soon as possible, yet never before StartTimer has armed it: OnExpire is called on
// another goroutine in every case. Timers that expire at the same time do so in
// the order in which they were armed. A d beyond the clock's range (292 years)
// expires at its end.
func (q *Queue) StartTimer(t *schedulers.Timer, d time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	when := q.count(d)
	q.arm(t, when)
	if t.Slot < 0 {
		q.inRow = 0
	}
	q.advanceAlarm(when)
}

// count returns the time at which something ends that begins now and takes d, and counts it as
// armed; mu is held, here and below.
func (q *Queue) count(d time.Duration) (when int64) {
	if q.base.IsZero() {
		q.base = time.Now()
		q.alarmTime = never
	}
	q.armCount++
	return addDuration(q.now(), d)
}

// advanceAlarm sets the alarm, if it is later than when.
func (q *Queue) advanceAlarm(when int64) {
	if when < q.alarmTime && !q.firing {
		q.setAlarm()
	}
}

// StopTimer disarms t and reports whether it did. False means that t has expired,
// is expiring right now, or was never armed.
func (q *Queue) StopTimer(t *schedulers.Timer) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.Slot == 0 {
		return false
	}
	q.disarm(t)
	if q.earliest().timer == nil && !q.firing {
		q.setAlarm()
	}
	return true
}

// arm puts t into the fifo or the heap.
func (q *Queue) arm(t *schedulers.Timer, when int64) {
	if !q.fifo.accepts(when) {
		if q.fifo.n > maxMove {
			t.When = q.armCount
			q.heap.push(entry{when: when, timer: t})
			return
		}
		q.fifo.moveTo(&q.heap)
	}
	q.fifo.push(t, when, q.armCount)
}

// disarm removes a timer that is armed.
func (q *Queue) disarm(t *schedulers.Timer) *schedulers.Timer {
	if t.Slot < 0 {
		return q.fifo.remove(t.Slot)
	}
	return q.heap.remove(t.Slot - 1)
}

// earliest returns the timer that expires next and its time. The timer is nil if
// there is none.
func (q *Queue) earliest() (next entry) {
	if first := q.fifo.first(); first != nil {
		next = entry{when: first.When, timer: first}
	}
	if q.heap.n == 0 {
		return next
	}
	top := q.heap.entry(0)
	if next.timer == nil || top.when < next.when || top.when == next.when && top.timer.When < q.fifo.firstArmed {
		return *top
	}
	return next
}

// now returns the time on the queue's clock.
func (q *Queue) now() int64 { return int64(time.Since(q.base)) }

func addDuration(now int64, d time.Duration) int64 {
	when := now + max(0, int64(d))
	if when < now {
		return never
	}
	return when
}

// setAlarm updates the runtime's timer to match the queue. When a timer is
// stopped, an alarm that is set to an earlier time than needed is left unchanged,
// unless no timer is left. It then fires once for nothing, which costs less than setting
// it again for every timeout that did not happen.
func (q *Queue) setAlarm() {
	first := q.earliest()
	if first.timer == nil {
		q.alarmTime = never
		if q.alarm != nil { // nil if only timers that never expire were armed
			q.alarm.Stop()
		}
		return
	}
	q.alarmTime = first.when
	d := time.Duration(q.alarmTime - q.now())
	if q.alarm == nil {
		q.alarm = interleave.AfterFunc(d, q.fire)
		return
	}
	q.alarm.Reset(d)
}

// fire runs on the goroutine of the runtime's timer and expires the timers that
// are due.
//
// At most one goroutine fires at a time. Two would call OnExpire out of order if timers
// become due while OnExpire of earlier ones is still being called. The alarm may therefore
// fire for nothing; that is harmless.
func (q *Queue) fire() {
	q.mu.Lock()
	if q.firing {
		q.mu.Unlock()
		return
	}
	q.firing = true
	scratch := q.scratch
	q.mu.Unlock()
	q.expire(nil, scratch)
}

// expire calls OnExpire of those in due, then of all others that are due,
// which it takes into scratch. An OnExpire that calls runtime.Goexit ends its
// goroutine, but does not affect the timers after it.
//
// Between two batches it lets other goroutines run. Most timers submit a machine to a
// scheduler when they expire, which is much faster than running the machine. If a million
// expired together, half of the machines would be in the scheduler's queue before the workers
// got their share of the processors. That queue took an eighth of all the memory used. Batches of
// 256 still left 13 bytes there for each machine, batches of 64 leave 4.
func (q *Queue) expire(due, scratch []expiry) {
	ended := false
	defer func() {
		if !ended {
			rest := due // or due would be on the heap
			interleave.Go(func() { q.expire(rest, nil) })
		}
	}()
	for {
		if len(due) == 0 {
			scratch = q.takeDue(scratch[:0])
			due = scratch
		}
		if len(due) == 0 {
			ended = true
			return
		}
		e := due[0]
		due[0], due = expiry{}, due[1:]
		e.of.Expire(e.timer)
		if len(due) == 0 && len(scratch) == batch {
			runtime.Gosched()
		}
	}
}

// takeDue removes up to a batch of timers and sleepers that are due from the queue, and appends
// them to due. If there is none, it ends the firing and sets the alarm.
func (q *Queue) takeDue(due []expiry) []expiry {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	for e := q.earliest(); e.timer != nil && e.when <= now && len(due) < batch; e = q.earliest() {
		due = append(due, q.take(e.timer))
	}
	if len(due) == 0 {
		q.firing = false
		q.setAlarm()
		q.scratch = due
		if q.alarmTime == never {
			q.scratch = nil
		}
	}
	return due
}
