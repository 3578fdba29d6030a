package shim

import (
	"fmt"
	"sync"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/linked"
	"github.com/movenext/movenext/schedulers"
)

// Turns is a shim that holds work back until it may run. Work begins in the order
// of arrival: a work item that has to wait delays the items behind it, so nothing
// starves.
//
// # The life of a turn
//
//	Submit ─▶ waiting ◀─▶ held ─────────────────▶ over
//	                      │ ▲                      ▲
//	                Block ▼ │ unblock, when it     │ the work ends although
//	                     given may have it again ──┘ another goroutine is in Block
//
// A turn that is held is submitted to the scheduler beneath, runs there, and ends: it is
// held from before the submission until after the end. Each step to the right or downwards
// makes room, and the goroutine that takes the step calls admit, which finds the next turn.
// The step back from held to waiting happens when other work must regain its turn before
// this one begins; see regain.go.
//
// # Waiting gives up the turn
//
// Work that blocks in a wait gives up its turn and regains one before it continues, just as
// a machine that suspends does: the awaited work may be queued behind it. Work that regains
// its turn takes precedence over work that has not begun; otherwise a steady stream of new
// work could keep old work from ever ending.
type Turns struct {
	Passthrough
	rule Rule

	mu       interleave.Mutex // also guards all turns; it is locked before that of Passthrough
	waiting  queue            // turns that wait to begin
	notBegun queue            // held turns that have not begun, the last admitted at the end
	resuming []*Turn          // turns that wait to continue
}

// Rule decides which work items may run together. It is called with the lock of
// Turns held.
type Rule interface {
	// Admit reserves room for one work item of that kind and returns true, or returns
	// false if there is none.
	Admit(kind Kind) bool
	// Leave releases that room.
	Leave(kind Kind)
}

// Kind is a kind of work, as a rule distinguishes it.
type Kind uint8

// Turn is one work item of a Turns, and the worker that it sees.
type Turn struct {
	Item
	turns *Turns
	kind  Kind

	flags schedulers.Flags
	queue *queue // where it is linked, or nil
	links linked.Node[Turn]

	held, ended bool
	sent        bool          // queued beneath, where Run or Abandon will be called
	blocks      int           // calls of Block whose unblock was not called yet
	regained    chan struct{} // nil, unless it waits to continue
}

// InitTurns is Init, and also sets the rule.
func (ts *Turns) InitTurns(name string, home, beneath schedulers.Scheduler, rule Rule) {
	ts.Init(name, home, beneath)
	ts.rule = rule
}

// SubmitTurn is Submit for work of that kind, which sees home as its scheduler; a nil
// home means that of InitTurns.
func (ts *Turns) SubmitTurn(home schedulers.Scheduler, w schedulers.Work, hint schedulers.Hint, kind Kind) error {
	t := &Turn{turns: ts, kind: kind, flags: hint.Flags}
	if err := ts.Accept(&t.Item, home, w); err != nil {
		return err
	}
	ts.mu.Lock()
	now := ts.waiting.Len() == 0 && len(ts.resuming) == 0 && ts.rule.Admit(kind)
	if now {
		ts.hold(t)
	} else {
		ts.waiting.push(t)
	}
	ts.mu.Unlock()
	if !now {
		return nil
	}
	err := ts.Send(t, &t.Item, hint)
	if err != nil {
		t.end(Beneath(hint.From))
	}
	return err
}

// hold records that t was admitted and is about to be submitted; mu is held.
func (ts *Turns) hold(t *Turn) {
	t.held, t.sent = true, true
	ts.notBegun.push(t)
}

// Run implements [schedulers.Work]: the scheduler beneath has a worker for the
// turn.
func (t *Turn) Run(worker schedulers.Worker) {
	if !t.leaveBeneath() {
		return
	}
	defer t.end(worker)
	t.RunOn(worker, t, nil)
}

// Abandon implements [schedulers.Work].
func (t *Turn) Abandon(reason error) {
	t.leaveBeneath()
	t.GiveUp(reason)
	t.end(nil)
}

// leaveBeneath records that t has left the queue beneath, and reports whether it may begin. If
// not, its turn was taken back, and it will be submitted again.
func (t *Turn) leaveBeneath() bool {
	ts := t.turns
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t.sent = false
	if t.held {
		ts.notBegun.remove(t)
	}
	return t.held
}

// Beneath returns the worker beneath; see [Worker.Beneath].
func (t *Turn) Beneath() schedulers.Worker {
	if t == nil {
		return nil
	}
	return t.Worker.Beneath()
}

func (t *Turn) end(from schedulers.Worker) {
	ts := t.turns
	ts.mu.Lock()
	t.ended = true
	ts.leave(t)
	ts.mu.Unlock()
	ts.admit(from)
}

func (ts *Turns) leave(t *Turn) {
	if t.held {
		t.held = false
		ts.notBegun.remove(t)
		ts.rule.Leave(t.kind)
	}
}

// admit gives turns to all work that may run now, and submits the work that begins. from is
// the worker on whose goroutine it is called; with it, a scheduler that runs work in place
// can run the next work after the current one instead of inside it.
func (ts *Turns) admit(from schedulers.Worker) {
	for t := ts.next(); t != nil; t = ts.next() {
		hint := schedulers.Hint{From: from, Flags: t.flags | schedulers.Resumed}
		// The work was accepted long ago, so only the work itself can be notified of a
		// refusal. The flag Resumed prevents one for lack of room.
		if err := dispatch.TryOffer(ts.beneath, t, hint); err != nil {
			t.GiveUp(fmt.Errorf("%s: %w: refused by the scheduler beneath: %w", ts.name, schedulers.ErrShutdown, err))
			ts.mu.Lock()
			ts.leave(t)
			ts.mu.Unlock()
		}
	}
}

// next marks the next turn that begins as held and returns it, to be submitted, or returns
// nil. Before that, it resumes turns that continue, and marks as held those turns that are
// still queued beneath.
func (ts *Turns) next() *Turn {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if !ts.resumeTurns() {
		return nil
	}
	for t := ts.waiting.First(); t != nil; t = ts.waiting.First() {
		queued := t.Queued() // false: a Shutdown has abandoned its work
		if queued && !ts.rule.Admit(t.kind) {
			return nil
		}
		ts.waiting.remove(t)
		if !queued {
			continue
		}
		sent := t.sent
		ts.hold(t)
		if !sent {
			return t
		}
	}
	return nil
}

// Block implements [schedulers.Blocker]: it gives up the turn, and unblock waits
// until it is regained. The wait is also announced beneath, where it may be refused.
func (t *Turn) Block() (unblock func(), err error) { return t.yieldAfter(t.Worker.Block()) }

// BlockFor implements [dispatch.HomeBlocker]; see Block.
func (t *Turn) BlockFor(home schedulers.Scheduler, done <-chan struct{}) (unblock func(), err error) {
	return t.yieldAfter(t.Worker.BlockFor(home, done))
}

// yieldAfter gives up the turn after the call of the worker beneath, whose results it takes. The
// order matters: if the turn were given up first and the wait then refused, the work would
// have to wait to regain it.
func (t *Turn) yieldAfter(inner func(), err error) (unblock func(), _ error) {
	if err != nil {
		return nil, err
	}
	t.yield()
	return sync.OnceFunc(func() {
		t.regain(nil)
		inner()
	}), nil
}

// Holds reports whether t is a turn of ts that is running and has not been given
// up.
func (ts *Turns) Holds(t *Turn) bool {
	if t == nil || t.turns != ts {
		return false
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return t.held && !t.ended
}

// MaxConcurrency returns the smaller of own and the limit of the scheduler beneath; 0
// means no limit.
func (ts *Turns) MaxConcurrency(own int) int {
	beneath := MaxConcurrency(ts.beneath)
	if own == 0 || beneath == 0 {
		return max(own, beneath)
	}
	return min(own, beneath)
}
