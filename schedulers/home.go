package schedulers

import "context"

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

	// LongRunning are the functions that Scheduler runs outside its workers, or nil if it is
	// no [Learner], or one that does not learn.
	LongRunning Functions

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

// learnedBy returns what s has learned, or nil if it does not learn. A scheduler on top of one
// that learns is not asked: its own work items are what the other one would run.
func learnedBy(s Scheduler) Functions {
	if l, ok := s.(Learner); ok {
		return l.Learned()
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
