package limited

import (
	"context"

	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
)

// publicMethods holds the methods that all shims share; see the comment of Scheduler.
type publicMethods = shim.PublicMethods

// Scheduler bounds the number of work items that run at a time. Make one with
// [New]. All methods are safe for concurrent use.
//
// Besides [schedulers.Scheduler] it implements Layered, Shutdowner, Consenter, Timers
// (those of the scheduler beneath, if it has any), Snapshotter, Limiter and Meter, and
// its workers implement HomeBlocker and Pumper.
type Scheduler struct {
	publicMethods
	turns   shim.Turns
	over    schedulers.Scheduler
	permits permits
}

// New returns a scheduler that runs work on over, at most limit work items at a
// time. A limit below 1 means 1. A nil over refuses all work.
func New(over schedulers.Scheduler, limit int) *Scheduler {
	s := &Scheduler{over: over, permits: permits{limit: max(1, limit)}}
	s.turns.InitTurns("limited", s, over, &s.permits)
	s.publicMethods.Passthrough = &s.turns.Passthrough
	return s
}

// permits is the rule by which the turns are given. The lock of turns guards it.
type permits struct{ limit, taken int }

func (s *permits) Admit(shim.Kind) bool {
	if s.taken == s.limit {
		return false
	}
	s.taken++
	return true
}

func (s *permits) Leave(shim.Kind) { s.taken-- }

// Submit accepts w, or refuses it: with [schedulers.ErrShutdown] after Shutdown, with
// [schedulers.ErrRejected] if w is nil, and with the error of the scheduler beneath if
// that refuses. Work that has to wait is accepted; if the scheduler beneath refuses it
// later, when its turn has come, it is abandoned with an error that wraps ErrShutdown
// and that refusal.
//
// It blocks, or runs work in place, only if Submit of the scheduler beneath does.
func (s *Scheduler) Submit(w schedulers.Work, from schedulers.Hint) error {
	return s.turns.SubmitTurn(nil, w, from, 0)
}

// Shutdown refuses all further work, runs the accepted work, and returns nil when the
// last of it has ended. If ctx ends first, work that has not begun is abandoned with
// [schedulers.ErrShutdown] and the cause of ctx is returned. The scheduler beneath is
// not shut down. A nil ctx never ends.
//
// Shutdown blocks. It may be called any number of times, also concurrently.
func (s *Scheduler) Shutdown(ctx context.Context) error { return s.publicMethods.Shutdown(ctx) }

// MayRunInPlace reports true if caller is a worker of s whose work is running, and the
// scheduler beneath consents. That work holds a permit, and the work that it waits for
// then runs under the same permit.
func (s *Scheduler) MayRunInPlace(w schedulers.Work, caller schedulers.Worker) bool {
	t, ok := shim.Find[*shim.Turn](caller)
	return ok && s.turns.Holds(t) && shim.MayRunInPlace(s.over, w, caller)
}

// MaxConcurrency returns the limit, or that of the scheduler beneath if it is smaller.
// Work inside [schedulers.Blocker] does not count.
func (s *Scheduler) MaxConcurrency() int { return s.turns.MaxConcurrency(s.permits.limit) }
