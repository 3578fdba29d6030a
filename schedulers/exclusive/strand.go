package exclusive

import (
	"context"

	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
)

// Strand runs one work item at a time, in the order of arrival. Make one with
// [NewStrand]; a million of them are affordable, at some 300 bytes each and no
// goroutine. All methods are safe for concurrent use.
//
// Besides [schedulers.Scheduler] it implements Layered, Shutdowner, Timers (those of
// the scheduler beneath, if it has any), Snapshotter, Limiter and Meter, and its
// workers implement HomeBlocker and Pumper.
type Strand struct {
	publicMethods
	turns shim.Turns
	rule  rule
}

// NewStrand returns a strand that runs its work on over. A nil over refuses all work.
func NewStrand(over schedulers.Scheduler) *Strand {
	s := &Strand{}
	s.turns.InitTurns("exclusive", s, over, &s.rule)
	s.publicMethods.Passthrough = &s.turns.Passthrough
	return s
}

// Submit is [Side.Submit] of the exclusive side.
func (s *Strand) Submit(w schedulers.Work, from schedulers.Hint) error {
	return s.turns.SubmitTurn(nil, w, from, exclusive)
}

// Shutdown is [Pair.Shutdown] for a single strand.
func (s *Strand) Shutdown(ctx context.Context) error { return s.publicMethods.Shutdown(ctx) }

// MaxConcurrency returns 1.
func (s *Strand) MaxConcurrency() int { return 1 }
