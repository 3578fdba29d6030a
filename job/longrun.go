package job

import (
	"time"

	"github.com/movenext/movenext/internal/longrun"
	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/schedulers"
)

// A scheduler of few workers runs outside them what is flagged [LongRunning]. Some also learn
// which functions should have been (option LearnLongRunning of package pool). This is the part
// that the job has in it: the scheduler sees work items, and only the job knows the function.
//
//	the job is made      a function that took long before: the job is LongRunning
//	its function runs    how long it keeps its worker is told
//
// The function is looked at before the job is handed out. A cancel of the job drops it later.

// learnable is a task whose function a scheduler may learn.
type learnable interface{ function() any }

// foresee flags a job that is being made as LongRunning, if its scheduler has learned that its
// function takes long.
func (t *task[T]) foresee(f schedulers.Functions) {
	if l, ok := t.owner.(learnable); ok && f.Has(longrun.Code(l.function())) {
		t.flags |= schedulers.LongRunning
	}
}

// timing is one run of a function.
type timing struct {
	in    schedulers.Functions
	code  uintptr
	began time.Time
}

func timingOf(f schedulers.Functions, fn any) timing { return timing{f, longrun.Code(fn), time.Now()} }

// end is deferred: a function that panics after a second has run for a second. One that has
// suspended has not kept its worker, and may be the first step of any machine.
func (t timing) end(err *error) {
	if suspension.Of(*err) == nil {
		t.in.Took(t.code, time.Since(t.began))
	}
}
