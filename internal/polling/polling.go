// Package polling is what a busy worker does now and then between two work items: it polls for
// events from outside the process, and gives way to goroutines that wait for a processor.
//
// # Polling
//
// Go's runtime polls for ready descriptors when a processor has nothing to run. While all
// processors compute, it polls only every 10 ms; and to the runtime, the goroutine of a
// worker that always finds work is one long computation. So a worker polls itself, between
// two work items.
//
// # When
//
// A poll is a system call of 0.3 to 0.6 µs, which is too long after each work item. It is
// tempting to poll after a fixed number of items, but items take from 100 ns to 100 µs. So
// each look reads the clock and adjusts the number of items before the next one: at the
// speed of the last items, they would take the time [interval]. The number at most doubles
// from one look to the next, since a few short items prove little.
//
// # Giving way
//
// To the runtime's other goroutines, too, a busy worker is one long computation. While all
// processors compute, the runtime preempts a goroutine after 10 ms. Until then a goroutine that
// has just been made ready waits, and even the timers of a processor do not expire. If that
// goroutine was made ready by a lock of the scheduler (it submits work, and a worker held the
// lock), the submission takes 10 to 20 ms. So a worker gives way (runtime.Gosched), but only
//
//   - if there are at least as many goroutines to run as processors. Otherwise an idle processor
//     runs what becomes ready; giving way would wake it to take the worker itself, and with it
//     the worker's data.
//   - if the worker has run for as long as it was away the last time, and at least for [turn].
//     Goroutines that compute keep a processor for 10 ms at a time. A worker that gave way to
//     them each quarter of a millisecond would have a fortieth of the time instead of half.
//   - if its items take less than a turn. Longer ones probably wait, and then the worker has
//     given way already. Ten thousand jobs that sleep for a millisecond took three times as long
//     with workers that gave way once more after each.
package polling

import (
	"bytes"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/internal/census"
)

const (
	// interval is the approximate time between two looks of a worker.
	interval = 75 * time.Microsecond
	// turn is how long a worker runs at least before it gives way again. Asking how many
	// goroutines want to run, and giving way, takes 0.3 µs.
	turn = 250 * time.Microsecond
	// maxItems is the largest number of work items between two looks. It is limited because the
	// time that an item takes may grow suddenly.
	maxItems = 1024
)

// Source is a source of events. Its methods are safe for concurrent use.
type Source interface {
	// Poll fetches events without waiting for them, and submits the work that waited for
	// them.
	Poll()
}

var current atomic.Pointer[Source]

// Open makes workers poll s from now on, instead of the previous source.
func Open(s Source) { current.Store(&s) }

// Close removes the source.
func Close() { current.Store(nil) }

// HasSource reports whether there is a source.
func HasSource() bool { return current.Load() != nil }

// Countdown counts the work items of one worker between two looks. The zero value is ready for
// use. Only the goroutine of the worker may use it.
type Countdown struct {
	// Stays is set for a goroutine that is locked to a thread. It does not give way, which would
	// take two switches of threads.
	Stays bool

	left, items int       // before the next look; between the last look and that one
	lookedAt    time.Time // in a bubble on its clock: then a worker hardly gives way
	staysUntil  time.Time // on the same clock: the worker does not give way earlier
	census      census.Counter
	bubble      bubbleState
	outsideAt   time.Time // when the worker last polled
}

// bubbleState records whether the worker's goroutine is in a bubble of testing/synctest. A worker
// in a bubble does not poll: the work that it would submit would run in the bubble, although
// it waits for events outside.
type bubbleState uint8

const (
	unknown bubbleState = iota
	outside
	inBubble
)

// Begin is called when another goroutine begins to serve the worker.
func (c *Countdown) Begin() { c.bubble = unknown }

// Next is called between two work items, and looks for events and goroutines if it is time.
func (c *Countdown) Next() {
	if c.left--; c.left < 0 {
		c.look()
	}
}

func (c *Countdown) look() {
	now := time.Now()
	took, ran := now.Sub(c.lookedAt), c.items+1
	c.items = adaptItems(c.items, took)
	c.lookedAt, c.left = now, c.items
	if s := current.Load(); s != nil && c.isOutside(now) {
		(*s).Poll()
	}
	if !c.Stays && !now.Before(c.staysUntil) && took < time.Duration(ran)*turn {
		c.giveWay(now)
	}
}

// isOutside reports whether the worker's goroutine is in no bubble.
func (c *Countdown) isOutside(now time.Time) bool {
	if c.bubble == unknown {
		c.bubble = outside
		if !sameClock(c.outsideAt, now) && InBubble() {
			c.bubble = inBubble
		}
	}
	if c.bubble == inBubble {
		return false
	}
	c.outsideAt = now
	return true
}

// yield is replaced by tests.
var yield = runtime.Gosched

// giveWay lets other goroutines run if all processors are busy.
func (c *Countdown) giveWay(now time.Time) {
	away := time.Duration(0)
	if c.census.Active() >= runtime.GOMAXPROCS(0) {
		yield()
		c.lookedAt = time.Now() // the next items begin here
		away = c.lookedAt.Sub(now)
	}
	c.staysUntil = c.lookedAt.Add(max(away, turn))
}

// adaptItems returns the number of items before the next look, if the last items and the one
// after them took that long.
func adaptItems(last int, took time.Duration) int {
	fit := int64(last+1) * int64(interval) / max(int64(took), 1)
	return int(min(fit, int64(2*last+1), maxItems))
}

// sameClock reports whether now was read outside of bubbles if the time before was, a
// moment ago. The clock of a bubble begins in the year 2000, so it is decades behind. The
// goroutines of a worker that often has nothing to do would spend 2 % of their time in
// [InBubble].
func sameClock(before, now time.Time) bool {
	d := now.Sub(before)
	return 0 <= d && d < 10*time.Millisecond
}

// InBubble reports whether the calling goroutine is in a bubble of testing/synctest. The
// runtime reveals that only in the first line of a stack trace.
func InBubble() bool {
	var head [128]byte
	n := runtime.Stack(head[:], false)
	line, _, _ := bytes.Cut(head[:n], []byte("\n"))
	return bytes.Contains(line, []byte("synctest bubble"))
}
