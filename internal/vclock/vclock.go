// Package vclock implements virtual time: a clock and timers for schedulers in which a test
// or a simulation decides how time passes.
package vclock

import (
	"math"
	"sync"
	"time"

	"github.com/movenext/movenext/internal/heap"
	"github.com/movenext/movenext/schedulers"
)

// Clock is a clock that does not move by itself, and timers on it. It implements
// [schedulers.Timers]. The zero value shows zero. All methods are safe for concurrent
// use, and none blocks.
//
// No timer expires by itself: the code that moves the clock gets the timers that are due, one
// by one, from [Clock.Due], and calls them. So a timer that is armed while another one
// expires still expires at its own time, even if that is before the time to which the clock
// is being moved.
type Clock struct {
	mu    sync.Mutex
	now   int64
	armed uint64 // how many timers were ever armed; decides between equal times
	queue heap.Heap[entry]
}

// Now returns the time shown.
func (c *Clock) Now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Duration(c.now)
}

// StartTimer arms t to expire d after the time shown; a negative d counts as
// zero. A time beyond the clock's range of 292 years counts as its end.
func (c *Clock) StartTimer(t *schedulers.Timer, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.When = c.now + max(0, int64(d))
	if t.When < c.now {
		t.When = math.MaxInt64
	}
	c.armed++
	c.queue.Push(entry{t, c.armed})
}

// StopTimer disarms t and reports whether it did: false means that t has expired, is
// expiring, or was never armed.
func (c *Clock) StopTimer(t *schedulers.Timer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.Slot == 0 {
		return false
	}
	c.queue.Remove(t.Slot - 1)
	return true
}

// Next returns the time of the earliest timer, or false if none is armed.
func (c *Clock) Next() (at time.Duration, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.queue.Len() == 0 {
		return 0, false
	}
	return time.Duration(c.queue.First().timer.When), true
}

// Due removes the earliest timer if its time is not after limit, moves the clock to that
// time, and returns the timer; the caller must call its OnExpire. If there is none, Due
// moves the clock to limit and returns nil. Of timers with equal times, the one armed first
// is earlier. The clock never moves backwards.
func (c *Clock) Due(limit time.Duration) *schedulers.Timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.queue.Len() == 0 || c.queue.First().timer.When > int64(limit) {
		c.now = max(c.now, int64(limit))
		return nil
	}
	t := c.queue.Pop().timer
	c.now = max(c.now, t.When)
	return t
}

// Armed returns how many timers are armed.
func (c *Clock) Armed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.queue.Len()
}

// entry is an armed timer. Its timer's Slot is i+1 at position i of the queue, and 0 outside.
type entry struct {
	timer *schedulers.Timer
	seq   uint64
}

// Before implements [heap.Element].
func (e entry) Before(other entry) bool {
	if a, b := e.timer.When, other.timer.When; a != b {
		return a < b
	}
	return e.seq < other.seq
}

// Moved implements [heap.Element].
func (e entry) Moved(at int) { e.timer.Slot = at + 1 }
