package statemachine

import (
	"context"
	"runtime/pprof"

	"github.com/movenext/movenext/internal/labels"
	"github.com/movenext/movenext/schedulers"
)

// # Labels of the profiler
//
// A function that runs on one goroutine has the labels of that goroutine from its first
// statement to its last. A machine runs on many goroutines. It begins with the labels of
// its function's context, and pprof.SetGoroutineLabels and pprof.Do change them, as they
// do for a goroutine: the new labels apply to the whole chain of calls, even after the
// call that has set them.
//
//	while it runs         in the Run, and on the goroutine
//	while it is suspended in the home of the frame that resumes: a separate copy
//
// So a machine without labels needs no additional memory, and pays only for a comparison
// at each suspension and each resumption. The copy of 56 bytes is made once for each
// frame and set of labels.
//
// The tempting way is to read the labels of the frame's context at each resumption. But
// frames do not keep their contexts, and the labels of a goroutine are not those of a
// context: plain code may pass on a context with other labels without setting them.

// unlabelled are the labels of a hot start that has removed those of its goroutine.
var unlabelled = labels.Of(none{context.Background()})

// none is a context that claims to have labels, and has none.
type none struct{ context.Context }

// HasLabels reports to [labels.Has].
func (none) HasLabels() bool { return true }

// applyLabels sets the labels of the chain on the goroutine.
func (r *Run) applyLabels(l *labels.Labels) {
	l.Set()
	r.labels = l
}

// applyHomeLabels is applyLabels for a chain that may not have any.
func (r *Run) applyHomeLabels() {
	if l := r.top.home.Labels; l != nil {
		r.applyLabels(l)
	}
}

// removeLabels removes the chain's labels from the goroutine.
func (r *Run) removeLabels() {
	if r.labels != nil {
		labels.Clear()
		r.labels = nil
	}
}

// keepLabels keeps the labels for the next resumption. It returns the home of the top
// frame, where they are.
func (r *Run) keepLabels() *schedulers.Home {
	f := r.top
	switch below := f.caller; {
	case f.home.Labels == r.labels:
	case below != nil && below.home.Labels == r.labels && sameHome(below, f):
		f.home = below.home
	default:
		f.home = f.home.WithLabels(r.labels)
	}
	return f.home
}

// takeLabels is for a chain that has suspended in its hot start. The chain has the
// labels of ctx, unless it has set others. Those are removed from the goroutine, which
// belongs to the caller and gets the labels of ctx, as after pprof.Do.
func (r *Run) takeLabels(ctx context.Context) {
	if r.labels == nil {
		r.labels = labels.Of(ctx)
	} else if ctx == nil {
		labels.Clear()
	} else {
		pprof.SetGoroutineLabels(ctx)
	}
	r.keepLabels()
}

// SetGoroutineLabels is pprof.SetGoroutineLabels as generated machines call it: the
// labels of ctx are those of the machine from now on, on whichever goroutine. It does
// not block.
func SetGoroutineLabels(r *Run, ctx context.Context) {
	pprof.SetGoroutineLabels(ctx)
	r.labels = labels.Of(ctx)
	if r.labels == nil && r.cache == nil {
		r.labels = unlabelled
	}
}

// DoWithLabels is pprof.Do as generated machines call it. It blocks as long as f does.
func DoWithLabels(r *Run, ctx context.Context, labels pprof.LabelSet, f func(context.Context)) {
	defer SetGoroutineLabels(r, ctx)
	ctx = pprof.WithLabels(ctx, labels)
	SetGoroutineLabels(r, ctx)
	f(ctx)
}
