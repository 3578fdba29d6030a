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
	Scheduler      scheduler
	MaxRunning     int32        // how many work items may run at a time
	Closed         func() bool  // whether the scheduler accepts no more work
	EndReached     func() bool  // whether its end is reached
	CheckAtEnd     func() error // a violation when all goroutines have ended
	CheckAlways    func() error // a violation while work runs, and after a Submit; may be nil
	ShutdownCalled bool         // Shutdown, or its equivalent, was called
	Violation      error        // the first violation
	abandons       bool         // Shutdown has returned, and abandoned the queued work
	running        interleave.Int32
	tasks          []*Task
}

// Task is work that may submit more.
type Task struct {
	business                 *Business
	body                     func(on schedulers.Worker)
	accepted, ran, abandoned int
}

// Task returns work that calls then, which may be nil.
func (b *Business) Task(then func(on schedulers.Worker)) *Task {
	w := &Task{business: b, body: then}
	b.tasks = append(b.tasks, w)
	return w
}

// Ran returns how often the work was run.
func (t *Task) Ran() int { return t.ran }

// Accepted returns how often the work was accepted.
func (t *Task) Accepted() int { return t.accepted }

// Run implements schedulers.Work.
func (t *Task) Run(on schedulers.Worker) {
	b := t.business
	if b.running.Add(1) > b.MaxRunning {
		b.Fail(errors.New("more work runs at a time than allowed"))
	}
	if b.EndReached() {
		b.Fail(errors.New("work runs after the end"))
	}
	b.check()
	t.ran++
	if t.body != nil {
		t.body(on)
	}
	b.check()
	b.running.Add(-1)
}

// Abandon implements schedulers.Work.
func (t *Task) Abandon(error) { t.abandoned++ }

// Fail records a violation, if it is the first.
func (b *Business) Fail(wrong error) {
	if b.Violation == nil {
		b.Violation = wrong
	}
}

func (b *Business) check() {
	if b.CheckAlways != nil {
		b.Fail(b.CheckAlways())
	}
}

// Submit submits work, and counts it if it is accepted.
func (b *Business) Submit(w *Task, hint schedulers.Hint) {
	closed := b.abandons || b.Closed()
	if b.Scheduler.Submit(w, hint) == nil {
		w.accepted++
		if closed {
			b.Fail(errors.New("work is accepted after Shutdown"))
		}
	}
	b.check()
}

// Shutdown ends the scheduler and abandons the queued work.
func (b *Business) Shutdown() {
	b.ShutdownCalled = true
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
	if b.Violation != nil {
		return b.Violation
	}
	for i, w := range b.tasks {
		if w.ran+w.abandoned != w.accepted {
			return fmt.Errorf("work %d was accepted %d times, run %d times and abandoned %d times", i, w.accepted, w.ran, w.abandoned)
		}
	}
	return b.CheckAtEnd()
}

// Until waits until other work has set happened.
func Until(happened *interleave.Bool) {
	for !happened.Load() {
		interleave.Spin()
	}
}
