// Package runloop is the inner loop of a worker: take work, run it, repeat. Work may panic
// or end its goroutine. Surviving that is easy to get nearly right, and every scheduler
// needs it.
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
// The obvious answer is a deferred recover around every work item. For work of a
// few instructions that costs as much as the rest of the loop, so the frame with
// the deferred function encloses the whole loop. A panic leaves the loop, is
// recovered there, and the loop is entered again.
//
// # Goexit
//
// Nothing recovers from runtime.Goexit (which is what t.FailNow calls): deferred
// functions run and the goroutine is gone. So an outer deferred function detects that the
// loop was left without having ended, and calls Restart, which starts another goroutine for the
// same worker.
//
// # Both
//
// Work that calls Goexit and then panics in a deferred call makes the first
// frame's recover succeed, and yet the goroutine dies: the runtime continues with
// the Goexit. That is why the frame that recovers does not decide whether the
// goroutine is dying ("no panic, so it must be Goexit"). A separate frame further
// out does.
//
// # A panic of the scheduler itself
//
// If Next or More panics, the scheduler is broken. Such a panic is not recovered:
// the loop knows whether work was running, and recovers nothing else.
//
// # Counting
//
// Any goroutine may read how much a worker has done, so the counters are atomic.
// An atomic addition costs 3 to 5 ns: as much as everything else in the loop. So the loop
// saves additions. A work item that is run once more (Repeat) costs one instead of two,
// since it is not queued in between. If the next work is at hand (More), the end of one item
// and the beginning of the next are one step, which the scheduler counts in a plain
// variable, under the lock of a queue that it holds at that moment anyway.
package runloop

import (
	"reflect"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/labels"
	"github.com/movenext/movenext/internal/polling"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/schedulers"
)

// Loop runs the work of one worker. Its counters may be read from any goroutine at any
// time.
type Loop struct {
	// Set before the first Run and constant from then on.

	Worker schedulers.Worker      // passed to each work item
	Next   func() schedulers.Work // returns the next work; nil ends the loop
	// More, if not nil, is called before Next when work has ended: it returns work at hand,
	// or nil. If it returns work, it must count the end of the last work and the beginning
	// of that one; Steps, Completed and Busy do not include these.
	More    func() schedulers.Work
	Restart func() // called if work ends the goroutine: starts another one that calls Run
	// Polls is when a busy worker looks for events and gives way. Only its Stays is set before.
	Polls polling.Countdown

	// Written by the goroutine in Run alone. steps counts beginnings and ends, so it is
	// odd while work runs, and half of it is the number of work items that have ended.
	// Repeated counts work items that were never in a queue.
	steps    interleave.Uint64
	repeated interleave.Uint64
	panicked interleave.Uint64

	// Used only by the goroutine in Run.
	current   schedulers.Work // the running work; nil: none
	repeating bool            // current is to run once more
}

// Run runs work until Next returns nil. It does not return if work calls
// runtime.Goexit; Restart has been called then.
func (l *Loop) Run() {
	ended := false
	l.Polls.Begin()
	defer func() {
		if !ended {
			l.Restart()
		}
	}()
	for !ended {
		ended = l.serve()
	}
}

// RunHere is Run for a worker that [schedulers.Here] must find, because a wait could hold it
// although other work needs it.
func (l *Loop) RunHere() { schedulers.RunOn((*loopWork)(l), l.Worker) }

// loopWork is everything that a loop runs, as one work item.
type loopWork Loop

// Run implements [schedulers.Work].
func (l *loopWork) Run(schedulers.Worker) { (*Loop)(l).Run() }

// Abandon implements [schedulers.Work]. It is never called.
func (*loopWork) Abandon(error) {}

// serve runs work until there is none (true) or until one panics (false).
func (l *Loop) serve() (ended bool) {
	defer l.recoverWork(&ended)
	if l.repeating { // the work that panicked or exited had asked for it
		l.repeat()
		l.work()
	}
	for {
		w := l.Next()
		if w == nil {
			return true // another goroutine may serve the worker by now, so l must not be used
		}
		l.current = w
		l.steps.Add(1)
		l.work()
	}
}

// work runs the current work, and then the work at hand.
func (l *Loop) work() {
	for l.current != nil {
		if probe.On(probe.Events) {
			dispatch.RunTold(l.Worker.Scheduler(), l.current, l.Worker)
		} else {
			l.current.Run(l.Worker)
		}
		if l.repeating {
			l.repeat()
		} else {
			l.proceed()
		}
	}
}

func (l *Loop) repeat() {
	l.repeating = false
	l.repeated.Add(1)
}

// proceed ends the current work, and begins the next if that is at hand.
func (l *Loop) proceed() {
	l.current = nil
	l.Polls.Next()
	if l.More != nil {
		if w := l.More(); w != nil {
			l.current = w
			return
		}
	}
	l.steps.Add(1)
}

// recoverWork is deferred around the loop. It ends the work that left the loop
// early, if one did.
func (l *Loop) recoverWork(ended *bool) {
	if *ended || l.current == nil {
		return
	}
	if recover() != nil {
		l.panicked.Add(1)
	}
	if !l.repeating {
		l.current = nil
		l.steps.Add(1)
	}
}

// Repeat makes the loop run w once more as soon as it has returned, and returns true, if w
// is the current work. Otherwise it returns false. It is for schedulers that have just
// accepted w and would pass it to this loop next. Only the goroutine in Run may call it,
// from inside the work.
//
// Since w is the running work, the submitter is right about its worker. A work
// item that wraps another one is not equal to it, so nothing is repeated before
// the wrapper has finished.
func (l *Loop) Repeat(w schedulers.Work) bool {
	// Work items that are not pointers may not be comparable.
	if l.repeating || reflect.TypeOf(w).Kind() != reflect.Pointer || l.current != w {
		return false
	}
	l.repeating = true
	return true
}

// Include counts a work item that is run within the current one, as both accepted and
// completed.
func (l *Loop) Include() { l.repeated.Add(1) }

// Follow counts a work item that the current one runs at its end, as accepted and completed, and
// looks for events and gives way before it, as between two work items. Only the goroutine in Run
// may call it, from inside the work.
func (l *Loop) Follow() {
	l.Polls.Next()
	l.repeated.Add(1)
}

// Busy reports whether work is running.
func (l *Loop) Busy() bool { return l.steps.Load()&1 == 1 }

// Steps returns a number that grows whenever work begins or ends, by one each
// time; see More.
func (l *Loop) Steps() uint64 { return l.steps.Load() + 2*l.repeated.Load() }

// Completed returns how many work items have ended, in any way; see More.
func (l *Loop) Completed() uint64 { return l.steps.Load()/2 + l.repeated.Load() }

// Repeated returns how often work was repeated or included. Such work items were accepted
// without having been in a queue.
func (l *Loop) Repeated() uint64 { return l.repeated.Load() }

// Panicked returns how many work items have let a panic escape.
func (l *Loop) Panicked() uint64 { return l.panicked.Load() }

// Once runs one work item of the scheduler home on the calling goroutine and then calls
// done, whose argument reports whether a panic escaped. If the work calls runtime.Goexit,
// done is called and Once does not return. With a nil home no events are reported.
func Once(home schedulers.Scheduler, w schedulers.Work, on schedulers.Worker, done func(panicked bool)) {
	defer func() { done(recover() != nil) }()
	labels.Clear()
	dispatch.RunTold(home, w, on)
}
