package timers

import (
	"time"

	"github.com/movenext/movenext/schedulers"
)

// # Sleepers without timers
//
// A sleep that nothing can end early needs no timer that can be stopped: its time and a pointer
// to the sleeper suffice, 16 bytes, where a timer has 32 and its slot in the fifo 8. So sleepers
// that are armed one after the other share the timer of a block, which takes one slot of the
// fifo. Its time is that of its next sleeper. With its own fields a sleeper takes 17 bytes.
//
// # Order
//
// A block takes sleepers only while it is last in the fifo, and only in the order of their
// times. So its sleepers are neighbours in the order of expiry, apart from timers in the heap,
// which are compared with the block's time at that moment. What fifo.go says about timers of
// the same time therefore holds for each sleeper: a timer that enters the heap expires before
// the fifo's end, so after the sleepers of its own time. If the fifo moves its timers to the heap,
// the block moves as one.
//
// # When it is worth it
//
// A block takes 960 bytes, so it is opened only for a sleeper that comes after a row of
// others, without a timer between them in the fifo. Where timers and sleepers alternate, each
// sleeper gets a timer of its own. At worst, every row ends after the first sleeper of its
// block, which costs each sleeper of the row 30 bytes more.

// Sleeper is an expirer that is never stopped and does not use its timer: Expire may be called
// with nil.
type Sleeper interface {
	schedulers.Expirer
	// NewSleepers returns an empty array for sleepers of this type, such as a [SleepersOf].
	NewSleepers() Sleepers
}

// Sleepers is an array of sleepers of one type, so that each takes one word and not the two of an
// interface.
type Sleepers interface {
	// Put makes s the sleeper with index i, unless s has another type, and reports whether it did.
	Put(s Sleeper, i int) bool
	// Take removes the sleeper with index i and returns it.
	Take(i int) schedulers.Expirer
}

// SleepersOf is a [Sleepers] for sleepers of the type S.
type SleepersOf[S Sleeper] [blockSize]S

// Put implements [Sleepers].
func (a *SleepersOf[S]) Put(s Sleeper, i int) bool {
	typed, ok := s.(S)
	a[i] = typed
	return ok
}

// Take implements [Sleepers].
func (a *SleepersOf[S]) Take(i int) schedulers.Expirer {
	var none S
	s := a[i]
	a[i] = none
	return s
}

const (
	blockSize = 56 // both objects of a block then fit their size classes
	row       = 32 // sleepers with timers of their own before a block is opened
)

// block holds sleepers in the order of their times. It is the OnExpire of its own timer, and
// marks it so; see take.
//
// Invariant: the sleepers from next up to n are in the array, and there is at least one while the
// timer is armed. While the timer is in the fifo, its When is times[next].
type block struct {
	schedulers.Timer
	sleepers Sleepers
	next, n  int32
	times    [blockSize]int64
}

// Expire implements schedulers.Expirer. It is never called: see take.
func (*block) Expire(*schedulers.Timer) { panic("timers: the timer of a block has expired") }

// add adds s, and reports whether it did. when is not before the time of the last sleeper.
func (b *block) add(s Sleeper, when int64) bool {
	if b.n == blockSize || !b.sleepers.Put(s, int(b.n)) {
		return false
	}
	b.times[b.n] = when
	b.n++
	return true
}

// StartSleep lets s expire after d, as [Queue.StartTimer] does it for a timer. It takes 17 bytes
// in a row of sleepers that are armed in the order of their times, and else those of a timer.
func (q *Queue) StartSleep(s Sleeper, d time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	when := q.count(d)
	q.inRow++
	if q.fifo.accepts(when) {
		if q.fifo.join(s, when) {
			return // the alarm is set for an earlier sleeper
		}
		if q.inRow > row {
			open := &block{sleepers: s.NewSleepers()}
			open.OnExpire = open
			if open.add(s, when) {
				q.fifo.push(&open.Timer, when, q.armCount)
				q.advanceAlarm(when)
				return
			}
		}
	}
	q.arm(&schedulers.Timer{OnExpire: s}, when)
	q.advanceAlarm(when)
}

// join adds s to the block at the end of the fifo, and reports whether there is one with space
// for it. The fifo accepts when.
func (f *fifo) join(s Sleeper, when int64) bool {
	if f.n == 0 {
		return false
	}
	b, is := (*f.slot(f.n - 1)).OnExpire.(*block)
	if !is || !b.add(s, when) {
		return false
	}
	f.last = when
	return true
}

// expiry is a timer, or a sleeper without a timer, that was taken out of the queue.
type expiry struct {
	of    schedulers.Expirer
	timer *schedulers.Timer
}

// take takes out what expires next: t, or the next sleeper of t's block.
func (q *Queue) take(t *schedulers.Timer) expiry {
	b, is := t.OnExpire.(*block)
	if !is {
		return expiry{t.OnExpire, q.disarm(t)}
	}
	s := b.sleepers.Take(int(b.next))
	b.next++
	switch {
	case b.next == b.n:
		q.disarm(t)
	case t.Slot < 0:
		t.When = b.times[b.next]
	default:
		q.heap.delayFirst(b.times[b.next])
	}
	return expiry{of: s}
}
