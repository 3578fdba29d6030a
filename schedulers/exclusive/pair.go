package exclusive

import (
	"context"
	"time"

	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
)

// publicMethods holds the methods that all shims share; see the comments of the types.
type publicMethods = shim.PublicMethods

// Pair is two schedulers. One runs its work concurrently; the other runs its work one
// item at a time, while nothing else of the pair runs. Make one with [New]. All methods
// are safe for concurrent use.
//
// It implements [schedulers.Shutdowner], Snapshotter and Meter for both sides together.
type Pair struct {
	publicMethods
	turns      shim.Turns
	rule       rule
	concurrent Side
	exclusive  Side
}

// The kinds of work.
const (
	concurrent shim.Kind = iota
	exclusive
)

// rule decides which work items may run together. It is guarded by the lock of
// turns.
//
//	           | none  concurrent  exclusive    already running
//	-----------+--------------------------------------------
//	concurrent | yes   below most  no
//	exclusive  | yes   no          no
type rule struct {
	maxReaders int // concurrent work items at a time; 0: no limit
	readers    int
	writing    bool
}

// Admit implements the rule.
func (r *rule) Admit(kind shim.Kind) bool {
	switch {
	case r.writing:
		return false
	case kind == exclusive:
		r.writing = r.readers == 0
		return r.writing
	case r.maxReaders > 0 && r.readers == r.maxReaders:
		return false
	default:
		r.readers++
		return true
	}
}

// Leave implements the rule.
func (r *rule) Leave(kind shim.Kind) {
	if kind == exclusive {
		r.writing = false
	} else {
		r.readers--
	}
}

// New returns a pair that runs work on over. A nil over refuses all work. If most is
// above 0, at most that many concurrent work items run at a time.
func New(over schedulers.Scheduler, most int) *Pair {
	p := &Pair{rule: rule{maxReaders: max(0, most)}}
	p.turns.InitTurns("exclusive", &p.concurrent, over, &p.rule)
	p.publicMethods.Passthrough = &p.turns.Passthrough
	p.concurrent = Side{p, concurrent}
	p.exclusive = Side{p, exclusive}
	return p
}

// Concurrent returns the scheduler for work that may run together with other
// concurrent work.
func (p *Pair) Concurrent() *Side { return &p.concurrent }

// Exclusive returns the scheduler for work that runs alone.
func (p *Pair) Exclusive() *Side { return &p.exclusive }

// Shutdown refuses all further work on both sides, runs the accepted work, and returns
// nil when the last of it has ended. If ctx ends first, work that has not begun is
// abandoned with [schedulers.ErrShutdown] and the cause of ctx is returned. The
// scheduler beneath is not shut down. It blocks, and may be called any number of times,
// also concurrently. A nil ctx never ends.
func (p *Pair) Shutdown(ctx context.Context) error { return p.publicMethods.Shutdown(ctx) }

// Side is one of the two schedulers of a pair. All methods are safe for concurrent use.
//
// Besides [schedulers.Scheduler] it implements Layered, Timers (those of the scheduler
// beneath, if it has any) and Limiter, and its workers implement HomeBlocker and
// Pumper.
type Side struct {
	pair *Pair
	kind shim.Kind
}

// Submit accepts w, or refuses it: with [schedulers.ErrShutdown] after Shutdown, with
// [schedulers.ErrRejected] if w is nil, and with the error of the scheduler beneath if
// that refuses. Work that has to wait is accepted; if the scheduler beneath refuses it
// later, when its turn has come, it is abandoned with an error that wraps ErrShutdown
// and that refusal. It blocks, or runs work in place, only if Submit of the scheduler
// beneath does.
func (s *Side) Submit(w schedulers.Work, from schedulers.Hint) error {
	return s.pair.turns.SubmitTurn(s, w, from, s.kind)
}

// MaxConcurrency returns 1 for the exclusive side. For the other side it returns the
// smaller of the limits of the pair and of the scheduler beneath, or 0 if neither has
// one. Work inside [schedulers.Blocker] does not count.
func (s *Side) MaxConcurrency() int {
	if s.kind == exclusive {
		return 1
	}
	return s.pair.turns.MaxConcurrency(s.pair.rule.maxReaders)
}

// Beneath implements [schedulers.Layered].
func (s *Side) Beneath() schedulers.Scheduler { return s.pair.Beneath() }

// StartTimer implements [schedulers.Timers].
func (s *Side) StartTimer(t *schedulers.Timer, d time.Duration) { s.pair.StartTimer(t, d) }

// StopTimer implements [schedulers.Timers].
func (s *Side) StopTimer(t *schedulers.Timer) bool { return s.pair.StopTimer(t) }
