package parallel

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// participants do the work of an operation that a machine has called. Bodies may
// suspend, and then the caller does too, so a participant is not a goroutine. It
// does what the caller or a helper does in the plain form: it claims some
// indexes, runs the body for them, and so on until none is left.
//
//	          calls the body
//	queued ──▶ running ──body suspends──▶ suspended
//	   ▲         │                            │ the body has ended
//	   │         ▼                            ▼
//	   └──── wants an index ◀─────────────────┘
//	             │ none left, or stopped
//	             ▼
//	           gone
//
// Between suspended and queued no user function runs: the goroutine that ends the body
// records the outcome, and claims the next index. A suspended participant keeps the
// indexes that it has claimed, and counts towards the degree.
//
// The caller runs the first participant itself, until a body suspends. The others are
// optional, like helpers: one that arrives after all have gone leaves at once, and one
// that is refused is not needed. But a participant that has begun holds indexes, so it
// continues on a new goroutine if the scheduler refuses it.
//
// # Ends
//
// live counts the participants that have begun and not gone, and the caller until it has
// returned or suspended:
//
//	the caller                            a participant that goes
//	  C1 live is 1: return the outcome      P1 live--
//	  C2 make the promise                   P2 0: complete the promise
//	  C3 live--; 0: return the outcome
//	  C4 suspend for the promise
//
// After C3 the caller is not counted, so P2 runs once and finds the promise. No participant
// begins once live is 0.
type participants struct {
	*operation
	ctx      context.Context // of all bodies: they continue anywhere
	keepOpen bool            // the operation continues after the participants
	items    participantItems

	live    atomic.Int64
	promise atomic.Pointer[promise.Promise[end]]
}

// participantItems give indexes to participants.
type participantItems interface {
	// next gives the participant another index and returns true. Or it takes the
	// participant back and returns false: it then belongs to the source.
	next(p *participant) bool

	// beforeBody is called when a participant on the worker on has an index and is about to call
	// the body.
	beforeBody(on schedulers.Worker)

	// afterBodies is called when a participant has no body under way any more.
	afterBodies()
}

func newParticipants(o *operation) *participants {
	return &participants{operation: o, ctx: &bodyContext{o, nil}}
}

// participant runs one body at a time.
type participant struct {
	participants *participants
	node         continuation.Node

	// Used by the participant's current holder: the source, the scheduler, the goroutine
	// that runs it, or the body that has suspended.

	body    blockBody
	lo, hi  int  // the indexes that it has claimed and not begun
	whole   bool // the body takes them all at once
	part    claimant
	began   bool
	aborted bool // the body has not returned
	err     error
}

var (
	_ schedulers.Work                = (*participant)(nil)
	_ continuation.Target            = (*participant)(nil)
	_ suspension.Completer[job.Void] = (*participant)(nil)
)

// enter counts a participant that begins, and reports whether it may.
func (p *participants) enter() bool {
	for {
		n := p.live.Load()
		if n == 0 {
			return false
		}
		if p.live.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// leave counts one participant less. The last one completes the promise; the caller
// delivers the chain.
func (p *participants) leave() (waiters continuation.Chain) {
	if p.live.Add(-1) > 0 {
		return waiters
	}
	goexit, err := p.outcome()
	p.close()
	waiters, _ = promise.TryComplete(p.endPromise(), context.Background(), end{err, goexit}, nil)
	return waiters
}

// retire counts one participant less.
func (p *participants) retire() continuation.Chain {
	p.items.afterBodies()
	return p.leave()
}

// endPromise returns the promise of the end.
func (p *participants) endPromise() *promise.Promise[end] {
	if made := p.promise.Load(); made != nil {
		return made
	}
	made := new(promise.Promise[end])
	promise.Init(&made.Job)
	if !p.promise.CompareAndSwap(nil, made) {
		return p.promise.Load()
	}
	return made
}

// callerOutcome ends the caller's part: it returns the outcome, or a [*paused].
func (p *participants) callerOutcome() error {
	if left := p.removeCaller(); left != nil {
		return left
	}
	goexit, err := p.outcome()
	if goexit {
		runtime.Goexit()
	}
	return err
}

// removeCaller stops counting the caller. It returns nil if the operation has ended.
func (p *participants) removeCaller() *paused {
	if !p.live.CompareAndSwap(1, 0) {
		left := p.endPromise()
		if p.live.Add(-1) > 0 {
			return &paused{&left.Job}
		}
	}
	p.close()
	return nil
}

// close ends the operation, if that ends with the participants.
func (p *participants) close() {
	if !p.keepOpen {
		p.endForCaller()
	}
}

// run runs the operation for a machine: it runs the first participant on the caller's
// goroutine until a body suspends. If first is nil, the source starts the first
// participant itself.
func (p *participants) run(first *participant) error {
	exits := true
	defer func() {
		if exits {
			p.awaitEnd()
		}
	}()
	var rest suspension.Suspended
	if first != nil {
		first.began = true
		rest = first.step(p.caller)
	}
	exits = false
	if rest != nil {
		rest.GoOn(first, p.caller, jobcore.Unproven|1) // the machine continues on this worker
	}
	return p.callerOutcome()
}

// awaitEnd blocks until the operation has ended: the goroutine exits, so it cannot suspend,
// and no body may be left behind.
func (p *participants) awaitEnd() {
	if left := p.removeCaller(); left != nil {
		defer announceBlock(p.caller)()
		<-left.job.Done()
	}
}
