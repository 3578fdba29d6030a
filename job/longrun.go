package job

import (
	"time"

	"github.com/movenext/movenext/internal/longrun"
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

// timed is the mode of a task whose function's run is told to its scheduler.
const timed = supervising

// foresee flags a job that is about to be handed out as LongRunning, if its scheduler has learned
// that its function fn takes long.
func (t *task[T]) foresee(fn any) {
	f := t.home.LongRunning
	if f == nil {
		return
	}
	t.mode |= timed
	if f.Has(longrun.Code(fn)) {
		t.flags |= LongRunning().flags
	}
}

// timing is one run of a function.
type timing struct {
	in    schedulers.Functions
	code  uintptr
	began time.Time
}

func timingOf(f schedulers.Functions, fn any) timing { return timing{f, longrun.Code(fn), time.Now()} }

// end is deferred: a function that panics after a second has run for a second.
func (t timing) end() { t.in.Took(t.code, time.Since(t.began)) }
