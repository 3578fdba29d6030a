package schedulers

import (
	"context"
	"runtime/pprof"
)

// # Labels of the profiler
//
// Labels of runtime/pprof belong to goroutines, and to the goroutines that those start.
// Work has no goroutine of its own: a machine resumes on a worker that ran something
// else a moment ago. A profile by tenant would show what the worker had last, or
// nothing. So labels are part of what a job or a machine brings along:
//
//	the work                                the worker
//	 1. its context has labels? keep them    1. begins with a goroutine without labels
//	 2. runs: set them                       2. finds none after each work
//	 3. suspends or ends: clear them
//
// A goroutine's labels cannot be read, only set. So they are known by the context, where
// pprof.WithLabels and pprof.Do put them, and what is restored in step 3 is none. A
// goroutine that lends itself to work, with labels of its own, has none afterwards.
//
// Where no context has labels, this costs an await nothing, and the start of a job a look
// at its context.

// Labels are the labels of a context.
type Labels struct{ ctx context.Context }

// LabelsOf returns the labels that the profiler (runtime/pprof) shows for work with ctx,
// or nil if ctx has none. A nil ctx has none. It does not block.
func LabelsOf(ctx context.Context) *Labels {
	if !HasLabels(ctx) {
		return nil
	}
	return &Labels{ctx}
}

// HasLabels is LabelsOf without its result.
func HasLabels(ctx context.Context) (has bool) {
	switch c := ctx.(type) {
	case nil:
		return false
	case labelled:
		return c.HasLabels()
	}
	pprof.ForLabels(ctx, func(string, string) bool { has = true; return false })
	return has
}

// labelled is a context that knows the answer of HasLabels.
type labelled interface{ HasLabels() bool }

// Set gives the calling goroutine the labels.
func (l *Labels) Set() { pprof.SetGoroutineLabels(l.ctx) }

// ClearLabels takes all labels from the calling goroutine: a worker's does so first,
// since a goroutine has those of its starter.
func ClearLabels() { pprof.SetGoroutineLabels(context.Background()) }

// ambient is the context of [With].
type ambient struct {
	context.Context
	home  *Home
	label bool
}

// Value implements context.Context.
func (a *ambient) Value(key any) any {
	if key == SchedulerKey {
		return a.home
	}
	return a.Context.Value(key)
}

// HasLabels reports what the function of this name does.
func (a *ambient) HasLabels() bool { return a.label }
