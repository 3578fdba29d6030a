// Package glance makes busy workers check for events from outside the process.
//
// Go's runtime polls for ready descriptors when a processor has nothing to run. While all
// processors compute, it polls only every 10 ms; and to the runtime, the goroutine of a
// worker that always finds work is one long computation. So a worker polls itself, between
// two work items.
//
// A poll is a system call of 0.3 to 0.6 µs, which is too long after each work item. It is
// tempting to poll after a fixed number of items, but items take from 100 ns to 100 µs. So
// each poll reads the clock and adjusts the number of items before the next one: at the
// speed of the last items, they would take the time [apart]. The number at most doubles
// from one poll to the next, since a few short items prove little.
package glance

import (
	"bytes"
	"runtime"
	"sync/atomic"
	"time"
)

// apart is the approximate time between two polls of a worker.
const apart = 75 * time.Microsecond

// most is the largest number of work items between two polls. It is limited because the time
// that an item takes may grow suddenly.
const most = 256

// Source is a source of events. Its methods are safe for concurrent use.
type Source interface {
	// Look fetches events without waiting for them, and submits the work that waited for
	// them.
	Look()
}

var current atomic.Pointer[Source]

// Open makes workers poll s from now on, instead of the previous source.
func Open(s Source) { current.Store(&s) }

// Close removes the source.
func Close() { current.Store(nil) }

// Opened reports whether there is a source.
func Opened() bool { return current.Load() != nil }

// Turns counts the work items of one worker between two polls. The zero value is ready for
// use. Only the goroutine of the worker may use it.
type Turns struct {
	left, every int
	looked      time.Time // of the last look, on the clock outside of bubbles
	where       where
}

// where records whether the worker's goroutine is in a bubble of testing/synctest. A worker
// in a bubble does not poll: the work that it would submit would run in the bubble, although
// it waits for events outside.
type where uint8

const (
	unknown where = iota
	outside
	inBubble
)

// Begin is called when another goroutine begins to serve the worker.
func (t *Turns) Begin() { t.where = unknown }

// Next is called between two work items, and polls if it is time. Without a source it costs
// the load of a pointer.
func (t *Turns) Next() {
	s := current.Load()
	if s == nil {
		return
	}
	if t.left--; t.left >= 0 {
		return
	}
	t.look(*s)
}

func (t *Turns) look(s Source) {
	now := time.Now()
	if t.where == unknown {
		t.where = outside
		if !sameClock(t.looked, now) && InBubble() {
			t.where = inBubble
		}
	}
	if t.where == inBubble {
		t.left = most
		return
	}
	t.every = adapted(t.every, now.Sub(t.looked))
	t.looked, t.left = now, t.every
	s.Look()
}

// adapted returns the number of items before the next poll, if the last every items and the
// one after them took that long.
func adapted(every int, took time.Duration) int {
	fit := int64(every+1) * int64(apart) / max(int64(took), 1)
	return int(min(fit, int64(2*every+1), most))
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
