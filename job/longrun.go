package job

import (
	"time"

	"github.com/movenext/movenext/internal/longrun"
	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/schedulers"
)

// A scheduler with few workers runs jobs flagged [LongRunning] outside them. Some
// schedulers also learn which functions should have been flagged (option
// LearnLongRunning of package pool). This file is the job's part in that: the scheduler
// sees only work items, and the job knows the function.
//
//	the job is made      if its function took long before, the job is LongRunning
//	its function runs    the time for which it keeps its worker is reported
//
// The function is read before the job is shared, since a cancel of the job drops it later.

// learnable is a task whose function can be named to a scheduler.
type learnable interface{ function() any }

// flagLongRunning flags a job that is being made as LongRunning, if its scheduler has
// learned that its function takes long.
func (t *task[T]) flagLongRunning(f schedulers.Functions) {
	if l, ok := t.owner.(learnable); ok && f.Has(longrun.Code(l.function())) {
		t.core.flags |= schedulers.LongRunning
	}
}

// timing is one run of a function.
type timing struct {
	functions schedulers.Functions
	code      uintptr
	began     time.Time
}

func timingOf(f schedulers.Functions, fn any) timing { return timing{f, longrun.Code(fn), time.Now()} }

// end is deferred: a function that panics after a second has run for a second. A
// function that has suspended is not timed: it has not kept its worker, and may be the
// first step of any machine.
func (t timing) end(err *error) {
	if suspension.Of(*err) == nil {
		t.functions.Took(t.code, time.Since(t.began))
	}
}
