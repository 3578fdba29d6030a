package schedulers

import (
	"context"
	"runtime/pprof"
)

// # Labels of the profiler
//
// Labels of runtime/pprof belong to a goroutine, and are inherited by the goroutines
// that it starts. Work has no goroutine of its own: a machine resumes on a worker that
// ran something else a moment ago. Without further measures, a profile by tenant would
// show the worker's previous labels, or none. So jobs and machines carry their labels
// with them:
//
//	the work                                the worker
//	 1. its context has labels? keep them    1. begins with a goroutine without labels
//	 2. runs: set them                       2. finds none after each work
//	 3. suspends or ends: clear them
//
// A goroutine's labels cannot be read, only set. So the labels are read from the
// context, where pprof.WithLabels and pprof.Do put them, and step 3 clears the labels
// instead of restoring the previous ones. A goroutine with labels of its own therefore
// loses them when it runs work.
//
// If no context has labels, an await costs nothing more, and the start of a job one
// check of its context.

// Labels are the labels of a context.
type Labels struct{ ctx context.Context }

// LabelsOf returns the labels that the profiler (runtime/pprof) shows for work
// with ctx, or nil if ctx has none. A nil ctx has none. It does not block.
func LabelsOf(ctx context.Context) *Labels {
	if !HasLabels(ctx) {
		return nil
	}
	return &Labels{ctx}
}

// HasLabels reports whether ctx has labels for the profiler. A nil ctx has none. It does not
// block.
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

// labelled is a context that has computed the result of HasLabels already.
type labelled interface{ HasLabels() bool }

// Set gives the calling goroutine the labels.
func (l *Labels) Set() { pprof.SetGoroutineLabels(l.ctx) }

// ClearLabels removes all labels from the calling goroutine. A worker's goroutine
// calls it first, since a goroutine inherits the labels of its starter.
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

// HasLabels implements labelled.
func (a *ambient) HasLabels() bool { return a.label }
