//go:build interleave

package interleave

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// This file has the functions of direct.go for programs that are explored.

// Shrink is the number of bits by which limits are reduced: 0 in a normal build. Here loops
// give up early, so that tests reach the limits.
const Shrink = 15

// Go starts a goroutine. It does not block.
func Go(f func()) {
	if s := current; s != nil {
		s.Go(fmt.Sprintf("goroutine %d", len(s.threads)), f)
		return
	}
	go f()
}

// Yield lets other goroutines run. It is for loops with a bounded number of iterations, each
// of which has other steps.
func Yield() {
	if current == nil {
		runtime.Gosched()
	}
}

// Spin lets other goroutines run. It is for loops that end only when another goroutine
// has changed a variable that the loop reads: it returns when one has.
func Spin() {
	s := current
	if s == nil || s.running == nil {
		runtime.Gosched()
		return
	}
	t := s.running
	t.waits = t.read
	t.read = map[*object]int{}
	var none object
	s.announce(&none, spin)
}

// Timer is a timer that may expire at any moment after it was armed.
type Timer struct {
	object object
	armed  bool
	f      func()
	real   *time.Timer
}

// AfterFunc arms a timer.
func AfterFunc(d time.Duration, f func()) *Timer {
	s := current
	if s == nil {
		return &Timer{real: time.AfterFunc(d, f)}
	}
	timer := &Timer{f: f, armed: true}
	timer.object.timer = timer
	t := s.add(fmt.Sprintf("timer %d", len(s.threads)))
	t.timer = timer
	t.op = step{kind: fire, object: &timer.object, id: s.idOf(&timer.object)}
	return timer
}

// Stop disarms the timer, and reports whether it was armed.
func (t *Timer) Stop() bool { return t.arm(0, false) }

// Reset arms the timer, and reports whether it was armed.
func (t *Timer) Reset(d time.Duration) bool { return t.arm(d, true) }

func (t *Timer) arm(d time.Duration, armed bool) (was bool) {
	if t.real != nil {
		if armed {
			return t.real.Reset(d)
		}
		return t.real.Stop()
	}
	t.object.announce(swap)
	was, t.armed = t.armed, armed
	t.object.noteWrite()
	return was
}

// AfterContext is [context.AfterFunc]. During an exploration the context itself implements
// it: package context would start a goroutine that does not belong to the program.
func AfterContext(ctx context.Context, f func()) (stop func() bool) {
	own, does := ctx.(interface{ AfterFunc(f func()) func() bool })
	if current == nil || !does {
		return context.AfterFunc(ctx, f)
	}
	return own.AfterFunc(f)
}
