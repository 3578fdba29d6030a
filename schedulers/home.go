package schedulers

import (
	"context"

	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/internal/labels"
	"github.com/movenext/movenext/internal/probe"
)

// Home is a reference to a scheduler, as jobs and frames keep it. Millions of
// references may exist: a pointer is half the size of an interface, so each
// sleeping machine saves 8 bytes. A Home is immutable, so all users of one context share
// its Home.
//
// The value of a context under contract.SchedulerKey is usually a Home. A Home is therefore a
// scheduler itself, but without the capabilities of the scheduler that it refers to,
// which [FromContext] returns.
type Home struct {
	Scheduler Scheduler
	Follower  probe.Follower // the first among the layers of Scheduler, or nil
	Labels    *labels.Labels // of the machine that owns this copy of the Home, or nil

	sound bool // the result of sound; also false if that was not called
}

// homeOf is [FromContext] for callers that keep the result. It makes a Home if the
// context has none, as contexts of other packages may. It returns nil if no scheduler
// was set, and does not block.
func homeOf(ctx context.Context) *Home {
	switch c := ctx.(type) {
	case nil:
		return nil
	case *ambient:
		return c.home
	}
	switch v := ctx.Value(contract.SchedulerKey).(type) {
	case *Home:
		return v
	case Scheduler:
		return homeFor(v)
	}
	return nil
}

// homeFor returns the Home of s: s itself, if s is a Home that was read from a context. s
// must not be nil.
func homeFor(s Scheduler) *Home {
	if h, ok := s.(*Home); ok {
		return h
	}
	return &Home{Scheduler: s, Follower: followerOf(s), sound: s != nil && sound(s)}
}

// WithLabels returns a Home of the same scheduler with l.
func (h *Home) WithLabels(l *labels.Labels) *Home {
	c := *h
	c.Labels = l
	return &c
}

// Submit implements [Scheduler].
func (h *Home) Submit(w Work, hint Hint) error { return h.Scheduler.Submit(w, hint) }

// TrySubmit is [TrySubmit] for the scheduler that h refers to. It saves a call at each
// resumption of a machine. h must not be nil. It is safe for concurrent use, and blocks if
// the scheduler does.
func (h *Home) TrySubmit(w Work, hint Hint) (err error) {
	if !h.sound {
		return TrySubmit(h, w, hint)
	}
	defer func() {
		if v := recover(); v != nil {
			err = newSubmitPanicError(v)
		}
	}()
	return h.Scheduler.Submit(w, hint)
}

// Beneath implements [Layered].
func (h *Home) Beneath() Scheduler { return h.Scheduler }

// followerOf returns the first follower among the layers of s, or nil.
func followerOf(s Scheduler) probe.Follower {
	for s != nil {
		if f, ok := s.(probe.Follower); ok {
			probe.Follow()
			return f
		}
		l, ok := s.(Layered)
		if !ok {
			return nil
		}
		s = l.Beneath()
	}
	return nil
}
