// Package vclock is virtual time: a clock and timers for schedulers in which a
// test, or a simulation, decides when an hour has passed.
package vclock

import (
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
	c.queue.push(entry{t.When, c.armed, t})
}

// StopTimer disarms t and reports whether it did: false says that t has expired, is
// expiring, or was never armed.
func (c *Clock) StopTimer(t *schedulers.Timer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.Slot == 0 {
		return false
	}
	c.queue.remove(t.Slot - 1)
	return true
}

// Next returns the time of the earliest timer, or false if none is armed.
func (c *Clock) Next() (at time.Duration, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 {
		return 0, false
	}
	return time.Duration(c.queue[0].when), true
}

// Due takes out the earliest timer if its time is not after limit, moves the
// clock to that time, and returns the timer; the caller must call its OnExpire.
// If there is none, Due moves the clock to limit and returns nil. Of timers with
// equal times, the one armed first is earlier. The clock never moves backwards.
func (c *Clock) Due(limit time.Duration) *schedulers.Timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 || c.queue[0].when > int64(limit) {
		c.now = max(c.now, int64(limit))
		return nil
	}
	t := c.queue.remove(0)
	c.now = max(c.now, t.When)
	return t
}

// Armed returns how many timers are armed.
func (c *Clock) Armed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.queue)
}

// queue is a 4-ary heap: the children of i are 4i+1 to 4i+4. Package container/heap would
// allocate at each push and pop. Invariant: queue[i].timer.Slot == i+1, and Slot is 0
// outside.
type queue []entry

type entry struct {
	when  int64
	seq   uint64
	timer *schedulers.Timer
}

const arity = 4

func (e *entry) before(f *entry) bool {
	if e.when != f.when {
		return e.when < f.when
	}
	return e.seq < f.seq
}

func (q *queue) push(e entry) {
	*q = append(*q, e)
	q.up(len(*q)-1, e)
}

// remove takes out the entry at index i and returns its timer.
func (q *queue) remove(i int) *schedulers.Timer {
	t := (*q)[i].timer
	n := len(*q) - 1
	last := (*q)[n]
	(*q)[n] = entry{}
	*q = (*q)[:n]
	if i < n {
		if i > 0 && last.before(&(*q)[(i-1)/arity]) {
			q.up(i, last)
		} else {
			q.down(i, last)
		}
	}
	t.Slot = 0
	return t
}

// up puts e in its position on the path from index i to the root.
func (q *queue) up(i int, e entry) {
	for i > 0 {
		parent := (i - 1) / arity
		if !e.before(&(*q)[parent]) {
			break
		}
		q.set(i, (*q)[parent])
		i = parent
	}
	q.set(i, e)
}

// down puts e in its position on the path from index i to the leaves.
func (q *queue) down(i int, e entry) {
	for {
		first := arity*i + 1
		if first >= len(*q) {
			break
		}
		least := first
		for c := first + 1; c < min(first+arity, len(*q)); c++ {
			if (*q)[c].before(&(*q)[least]) {
				least = c
			}
		}
		if !(*q)[least].before(&e) {
			break
		}
		q.set(i, (*q)[least])
		i = least
	}
	q.set(i, e)
}

func (q *queue) set(i int, e entry) {
	(*q)[i] = e
	e.timer.Slot = i + 1
}
