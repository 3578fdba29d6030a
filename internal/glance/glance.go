// Package glance has busy workers look for events from outside of the process.
//
// Go's runtime looks for ready descriptors when a processor has nothing to run. While
// all processors compute, it looks only every 10 ms; and a worker's goroutine that always
// finds work is, to the runtime, one long computation. So a worker looks itself, between
// two work items.
//
// A look is a system call, 0.3 to 0.6 µs, so it must not follow each work item. It is
// tempting to look every so many items, but items take from 100 ns to 100 µs. So the
// number of items between two looks follows the clock, which is read with each look: as
// many as the last ones would have needed for the time [apart], but at most twice as many
// as before, since a few short items say little.
package glance

import (
	"bytes"
	"runtime"
	"sync/atomic"
	"time"
)

// apart is the time between two looks of a worker, about.
const apart = 75 * time.Microsecond

// most is the most work items between two looks: the time of an item may grow suddenly.
const most = 256

// Source is a source of events. Its methods are safe for concurrent use.
type Source interface {
	// Look fetches events without waiting for them, and submits what waited for them.
	Look()
}

var current atomic.Pointer[Source]

// Open has workers look at s from now on, instead of the source before.
func Open(s Source) { current.Store(&s) }

// Close has workers look at nothing.
func Close() { current.Store(nil) }

// Opened reports whether there is a source.
func Opened() bool { return current.Load() != nil }

// Turns counts the work items of one worker. The zero value is ready for use. It belongs
// to the goroutine of the worker.
type Turns struct {
	left, every int
	looked      time.Time // of the last look, on the clock outside of bubbles
	where       where
}

// where is whether the worker's goroutine is in a bubble of testing/synctest. What it
// submitted in a bubble would run there, although it waits for the world outside.
type where uint8

const (
	unknown where = iota
	outside
	inBubble
)

// Begin is called when another goroutine begins to serve the worker.
func (t *Turns) Begin() { t.where = unknown }

// Next is called between two work items. Without a source it costs the load of a pointer.
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

// adapted returns how many items come before the next look, if that many and the one after
// them took so long.
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
// runtime says so only in the first line of a stack.
func InBubble() bool {
	var head [128]byte
	n := runtime.Stack(head[:], false)
	line, _, _ := bytes.Cut(head[:n], []byte("\n"))
	return bytes.Contains(line, []byte("synctest bubble"))
}
