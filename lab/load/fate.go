package main

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// fate is the outcome that the dice determine for a job, and the number of calls of its function.
type fate struct {
	roll     int
	canceled bool // it is, or the job that starts it: then its context may end before it begins
	calls    atomic.Int32
}

// entry is a job with its fate.
type entry struct {
	*job.Job[int]
	fate *fate
}

// The rolls, of 10 000: each kind of outcome has the rolls from the previous bound up to its own.
const (
	panics = 1_000
	errs   = 1_500
	nests  = 2_000
)

// child is the roll of the job that a job with this roll starts and waits for.
func child(roll int) int { return roll * 4 % 10_000 }

// value is what a job with this roll returns, if it returns a value.
func value(roll int) (int, bool) {
	for ; roll >= errs && roll < nests; roll = child(roll) {
	}
	return roll, roll >= nests
}

// isCanceled reports whether the storm cancels a job with this roll.
func isCanceled(roll int) bool { return roll%10 == 9 }

// compare records any difference between a job's end and its dice.
func (a *account) compare(f *fate, status job.Status, got int, err error) {
	calls := f.calls.Load()
	a.known.Add(int64(calls))
	nested := f.roll >= errs && f.roll < nests
	refused := errors.Is(err, schedulers.ErrShutdown) || errors.Is(err, schedulers.ErrRejected)
	want, returns := value(f.roll)
	switch {
	case calls > 1:
		a.mismatches.note("a function was called %d times", calls)
	case refused && calls > 0 && !nested:
		a.mismatches.note("a job was refused after its function had been called: %v", err)
	case status == job.Completed && calls == 0:
		a.mismatches.note("a job is %v, and its function was never called", status)
	case status == job.Completed && !returns:
		a.mismatches.note("a job of roll %d is %v with %d, and was to fail", f.roll, status, got)
	case status == job.Completed && got != want:
		a.mismatches.note("a job of roll %d returned %d instead of %d", f.roll, got, want)
	case status == job.Canceled && !f.canceled && !nested:
		a.mismatches.note("a job of roll %d is %v, and was never canceled", f.roll, status)
	case status == job.Faulted && !refused && !nested && (f.roll >= errs || calls == 0):
		a.mismatches.note("a job of roll %d, called %d times, has failed: %v", f.roll, calls, err)
	}
}

// mismatches records differences from the dice: their number, and the first.
type mismatches struct {
	mu    sync.Mutex
	count int
	first string
}

func (w *mismatches) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.count++; w.count == 1 {
		w.first = fmt.Sprintf(format, args...)
	}
}

func (w *mismatches) err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.count == 0 {
		return nil
	}
	return fmt.Errorf("%d jobs did not end as their dice say; the first: %s", w.count, w.first)
}
