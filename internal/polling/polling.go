// Package polling makes busy workers check for events from outside the process.
//
// Go's runtime polls for ready descriptors when a processor has nothing to run. While all
// processors compute, it polls only every 10 ms; and to the runtime, the goroutine of a
// worker that always finds work is one long computation. So a worker polls itself, between
// two work items.
//
// A poll is a system call of 0.3 to 0.6 µs, which is too long after each work item. It is
// tempting to poll after a fixed number of items, but items take from 100 ns to 100 µs. So
// each poll reads the clock and adjusts the number of items before the next one: at the
// speed of the last items, they would take the time [interval]. The number at most doubles
// from one poll to the next, since a few short items prove little.
package polling

import (
	"bytes"
	"runtime"
	"sync/atomic"
	"time"
)

// interval is the approximate time between two polls of a worker.
const interval = 75 * time.Microsecond

// maxItems is the largest number of work items between two polls. It is limited because the time
// that an item takes may grow suddenly.
const maxItems = 256

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

// Countdown counts the work items of one worker between two polls. The zero value is ready for
// use. Only the goroutine of the worker may use it.
type Countdown struct {
	left, items int       // before the next poll; between the last poll and that one
	polledAt    time.Time // on the clock outside of bubbles
	bubble      bubbleState
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

// Next is called between two work items, and polls if it is time. Without a source it costs
// the load of a pointer.
func (c *Countdown) Next() {
	s := current.Load()
	if s == nil {
		return
	}
	if c.left--; c.left >= 0 {
		return
	}
	c.poll(*s)
}

func (c *Countdown) poll(s Source) {
	now := time.Now()
	if c.bubble == unknown {
		c.bubble = outside
		if !sameClock(c.polledAt, now) && InBubble() {
			c.bubble = inBubble
		}
	}
	if c.bubble == inBubble {
		c.left = maxItems
		return
	}
	c.items = adaptItems(c.items, now.Sub(c.polledAt))
	c.polledAt, c.left = now, c.items
	s.Poll()
}

// adaptItems returns the number of items before the next poll, if the last items and the one
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
