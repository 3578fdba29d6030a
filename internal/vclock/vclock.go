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
	clock Guarded
}

// Guarded is [Clock] for a caller that holds a lock of its own.
//
// Virtual time is coarse: a hundred thousand actors may tick at the same instant, since the
// clock stands still while they run. So the heap contains instants, and each instant its timers
// in the order in which they were armed: arming and expiring one more of them takes constant
// time. In a heap of timers, the expiry of each one touched 17 others.
type Guarded struct {
	now      int64
	armed    int
	instants heap.Heap[*instant]
	at       map[int64]*instant // by time
	spare    *instant           // empty; kept for its memory
	idle     int                // how often in a row that memory was far too large
}

// instant is a time at which timers expire.
type instant struct {
	when     int64
	position int                 // in Guarded.instants
	timers   []*schedulers.Timer // t.Slot is i+1 for the timer at i; nil: it was stopped
	head     int                 // the timers before have expired
	left     int                 // the number of timers that are armed
}

// Before implements [heap.Element].
func (i *instant) Before(other *instant) bool { return i.when < other.when }

// Moved implements [heap.Element].
func (i *instant) Moved(at int) { i.position = at }

// Now returns the time shown.
func (c *Clock) Now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.clock.Now()
}

// Now is [Clock.Now].
func (c *Guarded) Now() time.Duration {
	return time.Duration(c.now)
}

// StartTimer arms t to expire d after the time shown; a negative d counts as
// zero. A time beyond the clock's range of 292 years counts as its end.
func (c *Clock) StartTimer(t *schedulers.Timer, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock.StartTimer(t, d)
}

// StartTimer is [Clock.StartTimer].
func (c *Guarded) StartTimer(t *schedulers.Timer, d time.Duration) {
	t.When = c.now + max(0, int64(d))
	if t.When < c.now {
		t.When = math.MaxInt64
	}
	c.armed++
	c.instant(t.When).add(t)
}

// StopTimer disarms t and reports whether it did: false means that t has expired, is
// expiring, or was never armed.
func (c *Clock) StopTimer(t *schedulers.Timer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.clock.StopTimer(t)
}

// StopTimer is [Clock.StopTimer].
func (c *Guarded) StopTimer(t *schedulers.Timer) bool {
	if t.Slot == 0 {
		return false
	}
	i := c.at[t.When]
	i.timers[t.Slot-1] = nil
	c.disarmed(i, t)
	return true
}

// Next returns the time of the earliest timer, or false if none is armed.
func (c *Clock) Next() (at time.Duration, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.clock.Next()
}

// Next is [Clock.Next].
func (c *Guarded) Next() (at time.Duration, ok bool) {
	if c.armed == 0 {
		return 0, false
	}
	return time.Duration(c.instants.First().when), true
}

// Due removes the earliest timer if its time is not after limit, moves the clock to that
// time, and returns the timer; the caller must call its OnExpire. If there is none, Due
// moves the clock to limit and returns nil. Of timers with equal times, the one armed first
// is earlier. The clock never moves backwards.
func (c *Clock) Due(limit time.Duration) *schedulers.Timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.clock.Due(limit)
}

// Due is [Clock.Due].
func (c *Guarded) Due(limit time.Duration) *schedulers.Timer {
	if c.armed == 0 || c.instants.First().when > int64(limit) {
		c.now = max(c.now, int64(limit))
		return nil
	}
	i := c.instants.First()
	t := i.pop()
	c.now = max(c.now, i.when)
	c.disarmed(i, t)
	return t
}

// Armed returns how many timers are armed.
func (c *Clock) Armed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.clock.Armed()
}

// Armed is [Clock.Armed].
func (c *Guarded) Armed() int {
	return c.armed
}

// instant returns the instant of a time.
func (c *Guarded) instant(when int64) *instant {
	i := c.at[when]
	if i != nil {
		return i
	}
	if i, c.spare = c.spare, nil; i == nil {
		i = new(instant)
	}
	if c.at == nil {
		c.at = map[int64]*instant{}
	}
	i.when = when
	c.at[when] = i
	c.instants.Push(i)
	return i
}

// keep is the capacity of the instant that is always kept for its memory. A larger one is kept
// unless patience instants in a row needed an eighth of it at most: a crowd that ticks comes back.
const (
	keep     = 64
	patience = 16
)

// disarmed notes that a timer was taken out of its instant.
func (c *Guarded) disarmed(i *instant, t *schedulers.Timer) {
	t.Slot = 0
	c.armed--
	if i.left--; i.left > 0 {
		return
	}
	c.instants.Remove(i.position)
	delete(c.at, i.when)
	c.recycle(i)
}

// recycle keeps i, which has ended, for its memory.
func (c *Guarded) recycle(i *instant) {
	if c.idle++; len(i.timers) > cap(i.timers)/8 || cap(i.timers) <= keep {
		c.idle = 0
	}
	if c.idle > patience {
		c.idle = 0
		return
	}
	*i = instant{timers: i.timers[:0]}
	c.spare = i
}

// add arms t at the instant. If most of the timers there were stopped, their places are reused
// first: a timeout that a loop arms and stops must not take memory each time.
func (i *instant) add(t *schedulers.Timer) {
	if len(i.timers) == cap(i.timers) && i.left < len(i.timers)/2 {
		i.pack()
	}
	i.timers = append(i.timers, t)
	t.Slot = len(i.timers)
	i.left++
}

// pop takes the timer that was armed first. There is one.
func (i *instant) pop() *schedulers.Timer {
	for i.timers[i.head] == nil {
		i.head++
	}
	t := i.timers[i.head]
	i.timers[i.head] = nil
	i.head++
	return t
}

// pack closes the gaps.
func (i *instant) pack() {
	armed := i.timers[:0]
	for _, t := range i.timers {
		if t != nil {
			armed = append(armed, t)
			t.Slot = len(armed)
		}
	}
	clear(i.timers[len(armed):])
	i.timers, i.head = armed, 0
}
