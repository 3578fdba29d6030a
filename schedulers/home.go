package schedulers

import "context"

// Home is a scheduler as jobs and frames refer to it, of which there may be millions: a pointer is half of an interface, and each
// machine that sleeps has 8 bytes less for it. A Home never changes, so that all who have it from one context share it.
//
// It is what a context answers with when it is asked for its scheduler, and so a scheduler itself, but without the abilities
// of the one that it stands for. [FromContext] returns that one.
type Home struct {
	Scheduler Scheduler
	Follower  Follower // of the layers of Scheduler; nil: none

	sound bool // see there; false also if nobody has looked
}

// HomeOf is [FromContext] for who keeps what it returns. It makes a Home if the context has none, as those of other packages
// may. It is nil if no scheduler was set, and does not block.
func HomeOf(ctx context.Context) *Home {
	if ctx == nil {
		return nil
	}
	switch v := ctx.Value(SchedulerKey).(type) {
	case *Home:
		return v
	case Scheduler:
		return HomeFor(v)
	}
	return nil
}

// HomeFor returns the Home of s: s itself, if it is one that a context has answered with. It must not be nil.
func HomeFor(s Scheduler) *Home {
	if h, ok := s.(*Home); ok {
		return h
	}
	return &Home{Scheduler: s, Follower: followerOf(s), sound: s != nil && sound(s)}
}

// Submit implements [Scheduler].
func (h *Home) Submit(w Work, hint Hint) error { return h.Scheduler.Submit(w, hint) }

// Beneath implements [Layered].
func (h *Home) Beneath() Scheduler { return h.Scheduler }
