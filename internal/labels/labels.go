// Package labels carries the labels of the profiler (runtime/pprof) with the work.
//
// They belong to a goroutine, and are inherited by the goroutines that it starts. Work has no
// goroutine of its own: a machine resumes on a worker that ran something else a moment ago.
// Without further measures, a profile by tenant would show the worker's previous labels, or
// none. So jobs and machines carry their labels with them:
//
//	the work                                the worker
//	 1. its context has labels? keep them    1. begins with a goroutine without labels
//	 2. runs: set them                       2. finds none after each work
//	 3. suspends or ends: clear them
//
// A goroutine's labels cannot be read, only set. So the labels are read from the context, where
// pprof.WithLabels and pprof.Do put them, and step 3 clears the labels instead of restoring the
// previous ones. A goroutine with labels of its own therefore loses them when it runs work.
//
// If no context has labels, an await costs nothing more, and the start of a job one check of its
// context.
package labels

import (
	"context"
	"runtime/pprof"
)

// Labels are the labels of a context.
type Labels struct{ ctx context.Context }

// Of returns the labels that the profiler (runtime/pprof) shows for work
// with ctx, or nil if ctx has none. A nil ctx has none. It does not block.
func Of(ctx context.Context) *Labels {
	if !Has(ctx) {
		return nil
	}
	return &Labels{ctx}
}

// Has reports whether ctx has labels for the profiler. A nil ctx has none. It does not
// block.
func Has(ctx context.Context) (has bool) {
	switch c := ctx.(type) {
	case nil:
		return false
	case labelled:
		return c.HasLabels()
	}
	pprof.ForLabels(ctx, func(string, string) bool { has = true; return false })
	return has
}

// labelled is a context that has computed the result of Has already.
type labelled interface{ HasLabels() bool }

// Set gives the calling goroutine the labels.
func (l *Labels) Set() { pprof.SetGoroutineLabels(l.ctx) }

// Clear removes all labels from the calling goroutine. A worker's goroutine
// calls it first, since a goroutine inherits the labels of its starter.
func Clear() { pprof.SetGoroutineLabels(context.Background()) }
