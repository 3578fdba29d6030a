package shim

import (
	"fmt"
	"sync"

	"github.com/movenext/movenext/schedulers"
)

// Turns is a shim that holds work back until it may run. Works begin in the order of
// arrival: one that has to wait makes those behind it wait too, so nothing starves.
//
// # The life of a turn
//
//	Submit ─▶ waiting ─▶ held ─────────────────▶ over
//	                     │ ▲                      ▲
//	               Block ▼ │ unblock, when it     │ the work ends although
//	                    given may have it again ──┘ another goroutine is in Block
//
// A turn that is held is submitted to the scheduler beneath, runs there, and ends: it is
// held from before the first until after the last. Each step to the right or downwards
// makes room, and whoever makes it calls admit, which looks who may have it.
//
// # Waiting gives the turn away
//
// Work that blocks in a wait gives its turn to others and takes one again before
// it goes on, as a machine does that suspends: what it waits for may be behind it. Those
// who want theirs back come before those who have not begun, or a steady stream
// of new work would keep old work from ever ending.
type Turns struct {
	Through
	rule Rule

	mu          sync.Mutex // guards all turns too; it comes before Through's
	first, last *Turn      // those that wait to begin, linked by behind
	resuming    []*Turn    // those that wait to go on
}

// Rule decides who may run beside whom. It is called with the lock of Turns held.
type Rule interface {
	// Admit takes room for one work of that kind and returns true, or returns false.
	Admit(kind Kind) bool
	// Leave gives that room back.
	Leave(kind Kind)
}

// Kind is what a rule distinguishes.
type Kind uint8

// Turn is one work of a Turns, and the worker that it sees.
type Turn struct {
	Item
	turns *Turns
	kind  Kind

	flags  schedulers.Flags
	behind *Turn

	held, over bool
	blocks     int           // calls of Block that were not followed by unblock yet
	again      chan struct{} // nil, unless it waits to go on
}

// InitTurns sets what Init does and the rule.
func (ts *Turns) InitTurns(name string, home, over schedulers.Scheduler, rule Rule) {
	ts.Init(name, home, over)
	ts.rule = rule
}

// SubmitTurn is Submit for work of that kind, which sees home as its scheduler; a nil home
// is that of InitTurns.
func (ts *Turns) SubmitTurn(home schedulers.Scheduler, w schedulers.Work, hint schedulers.Hint, kind Kind) error {
	t := &Turn{Item: Item{Home: home}, turns: ts, kind: kind, flags: hint.Flags}
	if err := ts.Accept(&t.Item, w); err != nil {
		return err
	}
	ts.mu.Lock()
	t.held = ts.first == nil && len(ts.resuming) == 0 && ts.rule.Admit(kind)
	now := t.held
	if !now {
		ts.push(t)
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

func (ts *Turns) push(t *Turn) {
	if ts.last != nil {
		ts.last.behind = t
	} else {
		ts.first = t
	}
	ts.last = t
}

func (ts *Turns) pop() {
	t := ts.first
	ts.first, t.behind = t.behind, nil
	if ts.first == nil {
		ts.last = nil
	}
}

// Run implements [schedulers.Work]: the scheduler beneath has a place for the turn.
func (t *Turn) Run(on schedulers.Worker) {
	defer t.end(on)
	t.RunOn(on, t, nil)
}

// Abandon implements [schedulers.Work].
func (t *Turn) Abandon(reason error) {
	t.GiveUp(reason)
	t.end(nil)
}

// Beneath returns the worker beneath; see [Visit.Beneath].
func (t *Turn) Beneath() schedulers.Worker {
	if t == nil {
		return nil
	}
	return t.Visit.Beneath()
}

func (t *Turn) end(from schedulers.Worker) {
	ts := t.turns
	ts.mu.Lock()
	t.over = true
	ts.leave(t)
	ts.mu.Unlock()
	ts.admit(from)
}

func (ts *Turns) leave(t *Turn) {
	if t.held {
		t.held = false
		ts.rule.Leave(t.kind)
	}
}

// admit gives turns to all who may have one now, and submits those that begin. from is
// the worker on whose goroutine it is called: a scheduler that runs work in place
// can then run what is next after it, instead of inside of it.
func (ts *Turns) admit(from schedulers.Worker) {
	for t := ts.next(); t != nil; t = ts.next() {
		hint := schedulers.Hint{From: from, Flags: t.flags | schedulers.Resumed}
		// The work is long accepted, so there is nobody to be told of a refusal but the
		// work itself. Resumed says that a lack of room is no reason for one.
		if err := schedulers.TrySubmit(ts.over, t, hint); err != nil {
			t.GiveUp(fmt.Errorf("%s: %w: refused by the scheduler beneath: %w", ts.name, schedulers.ErrShutdown, err))
			ts.mu.Lock()
			ts.leave(t)
			ts.mu.Unlock()
		}
	}
}

// next returns the next turn that begins, now held, or nil. Turns that go on are let
// go on the way.
func (ts *Turns) next() *Turn {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for len(ts.resuming) > 0 {
		t := ts.resuming[0]
		if !t.over && !ts.rule.Admit(t.kind) {
			return nil
		}
		t.held = !t.over
		close(t.again)
		t.again = nil
		ts.resuming[0] = nil
		ts.resuming = ts.resuming[1:]
	}
	for t := ts.first; t != nil; t = ts.first {
		queued := t.Queued() // no: a Shutdown has given it up
		if queued && !ts.rule.Admit(t.kind) {
			return nil
		}
		ts.pop()
		if queued {
			t.held = true
			return t
		}
	}
	return nil
}

// Block implements [schedulers.Blocker]: it gives the turn away, and unblock waits until it can
// be had again. The scheduler beneath is told too, and may refuse.
func (t *Turn) Block() (unblock func(), err error) {
	inner, err := t.Visit.Block()
	if err != nil {
		return nil, err
	}
	t.yield()
	return sync.OnceFunc(func() {
		t.regain()
		inner()
	}), nil
}

// yield gives the turn away, unless it was given away before.
func (t *Turn) yield() {
	ts := t.turns
	ts.mu.Lock()
	t.blocks++
	ts.leave(t)
	ts.mu.Unlock()
	ts.admit(t.Beneath())
}

// regain waits until t has its turn again, unless another goroutine is still in
// Block on its behalf, or it is over.
func (t *Turn) regain() {
	ts := t.turns
	ts.mu.Lock()
	t.blocks--
	if t.over || t.blocks > 0 || t.held {
		ts.mu.Unlock()
		return
	}
	if t.again == nil { // else somebody else waits for the same turn already
		t.again = make(chan struct{})
		ts.resuming = append(ts.resuming, t)
	}
	again := t.again
	ts.mu.Unlock()
	ts.admit(t.Beneath())
	<-again
}

// Holds reports whether t is a turn of ts that is running and has not been given away.
func (ts *Turns) Holds(t *Turn) bool {
	if t == nil || t.turns != ts {
		return false
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return t.held && !t.over
}

// MaxConcurrency returns the smaller of own and the limit of the scheduler beneath; 0 means no
// limit.
func (ts *Turns) MaxConcurrency(own int) int {
	beneath := MaxConcurrency(ts.over)
	if own == 0 || beneath == 0 {
		return max(own, beneath)
	}
	return min(own, beneath)
}
