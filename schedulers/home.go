package schedulers

import (
	"context"

	"github.com/movenext/movenext/internal/longrun"
)

// Home is a reference to a scheduler, as jobs and frames keep it. Millions of
// references may exist: a pointer is half the size of an interface, so each
// sleeping machine saves 8 bytes. A Home never changes, so everything that got it
// from one context shares it.
//
// A context that is asked for its scheduler answers with a Home. A Home is
// therefore a scheduler itself, but without the capabilities of the scheduler
// that it refers to, which [FromContext] returns.
type Home struct {
	Scheduler Scheduler
	Follower  Follower // the first among the layers of Scheduler, or nil
	Labels    *Labels  // of what resumes here, or nil: a machine's own copy has them

	// LongRunning are the functions that Scheduler has learned to run outside its workers, or
	// nil if it does not learn. It is for package job.
	LongRunning *longrun.Functions

	sound bool // the result of sound; also false if it was not asked
}

// HomeOf is [FromContext] for callers that keep the result. It makes a Home if the
// context has none, as contexts of other packages may. It returns nil if no scheduler
// was set, and does not block.
func HomeOf(ctx context.Context) *Home {
	switch c := ctx.(type) {
	case nil:
		return nil
	case *ambient:
		return c.home
	}
	switch v := ctx.Value(SchedulerKey).(type) {
	case *Home:
		return v
	case Scheduler:
		return HomeFor(v)
	}
	return nil
}

// HomeFor returns the Home of s: s itself, if s is a Home that a context has answered
// with. s must not be nil.
func HomeFor(s Scheduler) *Home {
	if h, ok := s.(*Home); ok {
		return h
	}
	return &Home{Scheduler: s, Follower: followerOf(s), LongRunning: learnedBy(s), sound: s != nil && sound(s)}
}

// learner is a scheduler that learns which functions keep its workers for long; see option
// LearnLongRunning of package pool.
type learner interface{ LearnedLongRunning() *longrun.Functions }

// learnedBy returns what s has learned, or nil if it does not learn. A scheduler on top of one
// that learns passes the flag LongRunning on or does not; its own jobs are not asked for.
func learnedBy(s Scheduler) *longrun.Functions {
	if l, ok := s.(learner); ok {
		return l.LearnedLongRunning()
	}
	return nil
}

// WithLabels returns a Home of the same scheduler with l.
func (h *Home) WithLabels(l *Labels) *Home {
	c := *h
	c.Labels = l
	return &c
}

// Submit implements [Scheduler].
func (h *Home) Submit(w Work, hint Hint) error { return h.Scheduler.Submit(w, hint) }

// TrySubmit is [TrySubmit] for the scheduler that h refers to. h must not be nil. Each
// resumption of a machine submits it, so this spares one of the calls between the two. It is
// safe for concurrent use, and blocks if the scheduler does.
func (h *Home) TrySubmit(w Work, hint Hint) (err error) {
	if !h.sound {
		return TrySubmit(h, w, hint)
	}
	defer func() {
		if v := recover(); v != nil {
			err = submitPanicked(v)
		}
	}()
	return h.Scheduler.Submit(w, hint)
}

// Beneath implements [Layered].
func (h *Home) Beneath() Scheduler { return h.Scheduler }
