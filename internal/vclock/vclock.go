// Package vclock is virtual time: a clock and timers for schedulers in which a
// test, or a simulation, decides when an hour has passed.
package vclock

import (
	"container/heap"
	"math"
	"sync"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// Clock is a clock that does not move by itself, and timers on it. It implements
// [schedulers.Timers]. The zero value shows zero. All methods are safe for concurrent
// use, and none blocks.
//
// Nothing expires by itself: the code that moves the clock asks for the timers
// that are due, one by one, and calls them. So a timer that is armed while
// another one expires still expires at its own time, even if that comes before
// the time to which the clock is being moved.
type Clock struct {
	mu    sync.Mutex
	now   int64
	armed uint64 // timers ever armed: decides between equal times
	queue queue
}

// Now returns the time shown.
func (c *Clock) Now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Duration(c.now)
}

// StartTimer arms t to expire d after the time shown; a negative d counts as
// zero. A time beyond the clock's range of 292 years is its end.
func (c *Clock) StartTimer(t *schedulers.Timer, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.When = c.now + max(0, int64(d))
	if t.When < c.now {
		t.When = math.MaxInt64
	}
	c.armed++
	heap.Push(&c.queue, entry{t, c.armed})
}

// StopTimer disarms t and reports whether it did: false says that t has expired, is
// expiring, or was never armed.
func (c *Clock) StopTimer(t *schedulers.Timer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.Slot == 0 {
		return false
	}
	heap.Remove(&c.queue, t.Slot-1)
	return true
}

// Next returns the time of the earliest timer, or false if none is armed.
func (c *Clock) Next() (at time.Duration, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 {
		return 0, false
	}
	return time.Duration(c.queue[0].timer.When), true
}

// Due takes out the earliest timer if its time is not after limit, moves the
// clock to that time, and returns the timer; the caller must call its OnExpire.
// If there is none, Due moves the clock to limit and returns nil. Of timers with
// equal times, the one armed first is earlier. The clock never moves backwards.
func (c *Clock) Due(limit time.Duration) *schedulers.Timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 || c.queue[0].timer.When > int64(limit) {
		c.now = max(c.now, int64(limit))
		return nil
	}
	t := heap.Pop(&c.queue).(entry).timer
	c.now = max(c.now, t.When)
	return t
}

// Armed returns how many timers are armed.
func (c *Clock) Armed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.queue)
}

// queue is a heap. Invariant: queue[i].timer.Slot == i+1, and Slot is 0 outside.
type queue []entry

type entry struct {
	timer *schedulers.Timer
	seq   uint64
}

// Len implements [heap.Interface].
func (q queue) Len() int { return len(q) }

// Less implements [heap.Interface].
func (q queue) Less(i, j int) bool {
	if a, b := q[i].timer.When, q[j].timer.When; a != b {
		return a < b
	}
	return q[i].seq < q[j].seq
}

// Swap implements [heap.Interface].
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].timer.Slot, q[j].timer.Slot = i+1, j+1
}

// Push implements [heap.Interface].
func (q *queue) Push(x any) {
	e := x.(entry)
	e.timer.Slot = len(*q) + 1
	*q = append(*q, e)
}

// Pop implements [heap.Interface].
func (q *queue) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	(*q)[last] = entry{}
	*q = (*q)[:last]
	e.timer.Slot = 0
	return e
}
