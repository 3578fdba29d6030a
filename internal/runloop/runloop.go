// Package runloop is the inner loop of a worker: take work, run it, again. It
// exists because surviving what work does to its goroutine is easy to get
// nearly right, and every scheduler needs it.
//
// # Returning
//
// The easy case: take, run, take, run, until there is nothing to take.
//
//	for w := next(); w != nil; w = next() {
//		w.Run(on)
//	}
//
// # Panics
//
// A deferred recover in front of every work would be the obvious answer. It costs
// as much as the rest of the loop for work that is a few instructions long, so the
// frame with the deferred function encloses the whole loop. A panic leaves the
// loop, is recovered there, and the loop is entered again.
//
// # Goexit
//
// Nothing recovers from runtime.Goexit (which is what t.FailNow calls): deferred
// functions run and the goroutine is gone. So an outer deferred function
// notices that the loop was left without having ended and asks for another goroutine
// (Lost), which serves the same worker.
//
// # Both
//
// Work that calls Goexit and then panics in a deferred call makes the first
// frame's recover succeed, and yet the goroutine dies: the runtime goes
// on with the Goexit. That is why the question "is this goroutine dying" is not
// asked by the frame that recovers ("no panic, so it must be Goexit") but by a
// frame of its own further out.
//
// # A panic of the scheduler itself
//
// If Next panics, the scheduler is broken. Such a panic is not recovered: the loop
// knows whether work was running, and hides nothing else.
package runloop

import (
	"sync/atomic"

	"github.com/movenext/movenext/schedulers"
)

// Loop runs the work of one worker. Its counters may be read by anybody at any
// time.
type Loop struct {
	// Set before the first Run and constant from then on.

	On   schedulers.Worker      // is handed to each work
	Next func() schedulers.Work // returns the next work; nil ends the loop
	Lost func()                 // the goroutine dies under its work: start another that calls Run

	// Written by the goroutine in Run alone. steps counts beginnings and ends, so
	// it is odd while work runs, and half of it is the number of works that ended.
	steps    atomic.Uint64
	panicked atomic.Uint64
}

// Run runs work until Next returns nil. It does not return if work calls
// runtime.Goexit; Lost has been called then.
func (l *Loop) Run() {
	ended := false
	defer func() {
		if !ended {
			l.Lost()
		}
	}()
	for !ended {
		ended = l.serve()
	}
}

// serve runs work until there is none (true) or until one panics (false).
func (l *Loop) serve() (ended bool) {
	defer l.recover()
	for {
		w := l.Next()
		if w == nil {
			return true
		}
		l.steps.Add(1)
		w.Run(l.On)
		l.steps.Add(1)
	}
}

// recover is deferred around the loop. It ends the work that left the loop
// early, if one did.
func (l *Loop) recover() {
	if !l.Busy() {
		return
	}
	if recover() != nil {
		l.panicked.Add(1)
	}
	l.steps.Add(1)
}

// Busy reports whether work is running.
func (l *Loop) Busy() bool { return l.steps.Load()&1 == 1 }

// Steps returns a number that grows whenever work begins or ends.
func (l *Loop) Steps() uint64 { return l.steps.Load() }

// Completed returns how many works have ended, in whichever way.
func (l *Loop) Completed() uint64 { return l.steps.Load() / 2 }

// Panicked returns how many works have let a panic escape.
func (l *Loop) Panicked() uint64 { return l.panicked.Load() }

// Once runs one work on the calling goroutine and then calls done, which is told
// whether a panic escaped. If the work calls runtime.Goexit, done is called and
// Once does not return.
func Once(w schedulers.Work, on schedulers.Worker, done func(panicked bool)) {
	defer func() { done(recover() != nil) }()
	w.Run(on)
}
