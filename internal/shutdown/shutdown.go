// Package shutdown implements the end of a scheduler: the moment after which no work is
// accepted, the moment at which the last work has ended, and the wait in between, which is
// what Shutdown does.
//
// # Two moments
//
//	open ──Begin──▶ begun ──Finish──▶ finished
//
// Both moments are decided by the scheduler: only its own lock orders Begin with the
// acceptance of work, and only its own counts show when the last work has ended. So an
// [State] has no lock, and is guarded by the lock that guards these counts. The wait is
// what remains, and it is easy to get nearly right: a Shutdown that has nothing to wait for
// must return nil even if its context has ended already, but a select between two ready
// channels picks either.
package shutdown

import (
	"context"

	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/schedulers"
)

// State is the state of one scheduler's end. Its zero value is open. It is
// guarded by the lock of its scheduler.
type State struct {
	done     chan struct{} // made by the first Begin, in its synctest bubble
	finished bool          // done is closed
}

// Begin reports whether this is the first call. In any case, it returns the
// channel that Finish closes.
func (s *State) Begin() (done <-chan struct{}, first bool) {
	if s.done == nil {
		s.done = make(chan struct{})
		first = true
	}
	return s.done, first
}

// Begun reports whether Begin has been called: no work is accepted from then on.
func (s *State) Begun() bool { return s.done != nil }

// Finish records that the last work has ended. It must be called after Begin, and once.
func (s *State) Finish() {
	s.finished = true
	close(s.done)
}

// Finished reports whether Finish has been called.
func (s *State) Finished() bool { return s.finished }

// Await blocks until done is closed, and returns nil. If ctx ends first, it calls
// giveUp, which abandons queued work, and returns the cause of ctx. A nil ctx
// never ends. No lock may be held.
func Await(ctx context.Context, done <-chan struct{}, giveUp func()) error {
	if ctx == nil {
		ctx = context.Background()
	}
	select {
	case <-done:
		return nil // even if ctx has ended: there was nothing to wait for
	default:
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		giveUp()
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return context.Canceled // a foreign context that is done and does not say why
	}
}

// Abandon abandons work items of the scheduler home with [schedulers.ErrShutdown]. It calls
// methods of the work, so no lock may be held. With a nil home no events are reported.
func Abandon(home schedulers.Scheduler, works []schedulers.Work) {
	for _, w := range works {
		if home != nil && probe.On(probe.Events) {
			schedulers.Tell(schedulers.Event{Kind: schedulers.Abandoned, Scheduler: home, Work: w})
		}
		w.Abandon(schedulers.ErrShutdown)
	}
}
