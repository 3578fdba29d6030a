package parallel

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// strands are the participants of an operation that a machine has called. Bodies may
// suspend, and then the caller does too, so no goroutine stands for a participant. A
// strand does what the caller or a helper does in the plain form: it claims some
// indexes, runs the body for them, again, until none is left.
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
// Between suspended and queued no function of the user runs: the goroutine that ends
// the body notes how, and claims the next index. A suspended strand keeps what it has
// claimed, and counts for the degree.
//
// The caller runs the first strand itself, until a body suspends. The others are
// offers, as helpers are: one that comes when all have gone goes away, and one that is
// refused is missed by none. But a strand that has begun holds indexes, so it continues
// on a goroutine of its own if the scheduler refuses it.
//
// # Ends
//
// live counts the strands that have begun and not gone, and the caller until it has
// returned or suspended:
//
//	the caller                            a strand that goes
//	  C1 live is 1: return the outcome      S1 live--
//	  C2 make the promise                   S2 0: complete the promise
//	  C3 live--; 0: return the outcome
//	  C4 suspend for the promise
//
// After C3 the caller is not counted, so S2 runs once and finds the promise. No strand
// begins once live is 0.
type strands struct {
	*operation
	ctx   context.Context // of all bodies: they continue anywhere
	open  bool            // the operation goes on after the strands
	items strandItems

	live    atomic.Int64
	promise atomic.Pointer[job.Promise[suspension.End]]
}

// strandItems give indexes to strands.
type strandItems interface {
	// next gives the strand another index and returns true, or takes it back and
	// returns false: it is then the source's.
	next(s *strand) bool

	// given is called when a strand on the worker on has an index and is about to call
	// the body.
	given(on schedulers.Worker)

	// gone is called when a strand has no body under way any more.
	gone()
}

func newStrands(o *operation) *strands {
	return &strands{operation: o, ctx: &bodyContext{o, nil}}
}

// strand is one body at a time.
type strand struct {
	of   *strands
	node continuation.Node

	// Used by the strand's current holder: the source, the scheduler, the goroutine
	// that runs it, or the body that has suspended.

	body   blockBody
	lo, hi int  // the indexes that it has claimed and not begun
	whole  bool // the body takes them all at once
	part   claimant
	began  bool
	thrown bool // the body has not returned
	err    error
}

var (
	_ schedulers.Work            = (*strand)(nil)
	_ continuation.Target        = (*strand)(nil)
	_ suspension.Ender[job.Void] = (*strand)(nil)
)

// enter counts a strand that begins, and reports whether it may.
func (t *strands) enter() bool {
	for {
		n := t.live.Load()
		if n == 0 {
			return false
		}
		if t.live.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// leave counts one less. The last one completes the promise; the caller delivers the
// chain.
func (t *strands) leave() (told continuation.Chain) {
	if t.live.Add(-1) > 0 {
		return told
	}
	goexit, err := t.outcome()
	t.close()
	told, _ = t.promised().TryComplete(context.Background(), suspension.End{Err: err, Goexit: goexit}, nil)
	return told
}

// gone counts a strand less.
func (t *strands) gone() continuation.Chain {
	t.items.gone()
	return t.leave()
}

// promised returns the promise of the end.
func (t *strands) promised() *job.Promise[suspension.End] {
	if p := t.promise.Load(); p != nil {
		return p
	}
	p := new(job.Promise[suspension.End])
	p.Init()
	if !t.promise.CompareAndSwap(nil, p) {
		return t.promise.Load()
	}
	return p
}

// returned is the end of the caller's part: the outcome, or a [*paused].
func (t *strands) returned() error {
	if p := t.settled(); p != nil {
		return p
	}
	goexit, err := t.outcome()
	if goexit {
		runtime.Goexit()
	}
	return err
}

// settled counts the caller no more. It returns nil if the operation has ended.
func (t *strands) settled() *paused {
	if !t.live.CompareAndSwap(1, 0) {
		p := t.promised()
		if t.live.Add(-1) > 0 {
			return &paused{p.Job()}
		}
	}
	t.close()
	return nil
}

// close ends the operation, if that ends with the strands.
func (t *strands) close() {
	if !t.open {
		t.end()
	}
}

// run runs the operation for a machine: the first strand on the caller's goroutine, as
// far as that goes. A nil strand means that the source starts the first itself.
func (t *strands) run(first *strand) error {
	exits := true
	defer func() {
		if exits {
			t.stay()
		}
	}()
	var rest suspension.Suspended
	if first != nil {
		first.began = true
		rest = first.step(t.by)
	}
	exits = false
	if rest != nil {
		rest.GoOn(first, t.by, job.Unproven|1) // the machine continues on this worker
	}
	return t.returned()
}

// stay blocks until the operation has ended: the goroutine exits, so it cannot suspend,
// and no body may be left behind.
func (t *strands) stay() {
	if p := t.settled(); p != nil {
		defer blocking(t.by)()
		<-p.of.Done()
	}
}
