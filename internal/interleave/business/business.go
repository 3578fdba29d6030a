//go:build interleave

// Package business holds a scheduler and its work, for programs that are run in each order of
// their steps: see package interleave. It checks the invariants of every scheduler:
//
//   - accepted work is run once, or abandoned once, before all goroutines have ended
//   - no work is accepted after Shutdown, and none runs after the end
//   - no more work items run at a time than the scheduler allows
//
// The tests of a scheduler add its further invariants.
package business

import (
	"context"
	"errors"
	"fmt"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

type scheduler interface {
	schedulers.Scheduler
	schedulers.Shutdowner
}

// Business is a scheduler and its work. One goroutine of a schedule runs at a time, so its fields
// need no lock.
type Business struct {
	Scheduler scheduler
	Most      int32        // how many work items may run at a time
	Closed    func() bool  // whether the scheduler accepts no more work
	Over      func() bool  // whether its end is reached
	AtRest    func() error // a violation when all goroutines have ended
	Always    func() error // a violation while work runs, and after a Submit; may be nil
	Ended     bool         // Shutdown, or its equivalent, was called
	Wrong     error        // the first violation
	abandons  bool         // Shutdown has returned, and abandoned the queued work
	running   interleave.Int32
	tasks     []*Task
}

// Task is work that may submit more.
type Task struct {
	of                       *Business
	then                     func(on schedulers.Worker)
	accepted, ran, abandoned int
}

// Task returns work that calls then, which may be nil.
func (b *Business) Task(then func(on schedulers.Worker)) *Task {
	w := &Task{of: b, then: then}
	b.tasks = append(b.tasks, w)
	return w
}

// Ran returns how often the work was run.
func (w *Task) Ran() int { return w.ran }

// Accepted returns how often the work was accepted.
func (w *Task) Accepted() int { return w.accepted }

// Run implements schedulers.Work.
func (w *Task) Run(on schedulers.Worker) {
	b := w.of
	if b.running.Add(1) > b.Most {
		b.Blame(errors.New("more work runs at a time than allowed"))
	}
	if b.Over() {
		b.Blame(errors.New("work runs after the end"))
	}
	b.look()
	w.ran++
	if w.then != nil {
		w.then(on)
	}
	b.look()
	b.running.Add(-1)
}

// Abandon implements schedulers.Work.
func (w *Task) Abandon(error) { w.abandoned++ }

// Blame records a violation, if it is the first.
func (b *Business) Blame(wrong error) {
	if b.Wrong == nil {
		b.Wrong = wrong
	}
}

func (b *Business) look() {
	if b.Always != nil {
		b.Blame(b.Always())
	}
}

// Submit submits work, and counts it if it is accepted.
func (b *Business) Submit(w *Task, hint schedulers.Hint) {
	closed := b.abandons || b.Closed()
	if b.Scheduler.Submit(w, hint) == nil {
		w.accepted++
		if closed {
			b.Blame(errors.New("work is accepted after Shutdown"))
		}
	}
	b.look()
}

// Shutdown ends the scheduler and abandons the queued work.
func (b *Business) Shutdown() {
	b.Ended = true
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = b.Scheduler.Shutdown(ctx)
	b.abandons = true
}

// Abandoned reports whether Shutdown has abandoned the queued work.
func (b *Business) Abandoned() bool { return b.abandons }

// Check returns the first violation, or nil; it includes violations that only the end shows.
// It is called when all goroutines have ended.
func (b *Business) Check() error {
	if b.Wrong != nil {
		return b.Wrong
	}
	for i, w := range b.tasks {
		if w.ran+w.abandoned != w.accepted {
			return fmt.Errorf("work %d was accepted %d times, run %d times and abandoned %d times", i, w.accepted, w.ran, w.abandoned)
		}
	}
	return b.AtRest()
}

// Until waits until other work has set happened.
func Until(happened *interleave.Bool) {
	for !happened.Load() {
		interleave.Spin()
	}
}
