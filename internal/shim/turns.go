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
//	Submit ─▶ waiting ◀─▶ held ─────────────────▶ over
//	                      │ ▲                      ▲
//	                Block ▼ │ unblock, when it     │ the work ends although
//	                     given may have it again ──┘ another goroutine is in Block
//
// A turn that is held is submitted to the scheduler beneath, runs there, and ends: it is
// held from before the first until after the last. Each step to the right or downwards
// makes room, and whoever makes it calls admit, which looks who may have it. The step back from held to
// waiting is taken for who has to have the turn again before it begins; see regain.go.
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

	mu       sync.Mutex // guards all turns too; it comes before Through's
	waiting  line       // those that wait to begin
	begin    line       // those that are held and have not begun, the one that was admitted last at the end
	resuming []*Turn    // those that wait to go on
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

	flags         schedulers.Flags
	in            *line // where it is linked, or nil
	ahead, behind *Turn

	held, over bool
	sent       bool          // it is queued beneath, where Run or Abandon will be called
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
	now := ts.waiting.first == nil && len(ts.resuming) == 0 && ts.rule.Admit(kind)
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

// hold notes that t was admitted, and is about to be submitted; mu is held.
func (ts *Turns) hold(t *Turn) {
	t.held, t.sent = true, true
	ts.begin.push(t)
}

// Run implements [schedulers.Work]: the scheduler beneath has a place for the turn.
func (t *Turn) Run(on schedulers.Worker) {
	if !t.arrive() {
		return
	}
	defer t.end(on)
	t.RunOn(on, t, nil)
}

// Abandon implements [schedulers.Work].
func (t *Turn) Abandon(reason error) {
	t.arrive()
	t.GiveUp(reason)
	t.end(nil)
}

// arrive says that t has come out of the queue beneath, and reports whether it may begin. If not, its turn was
// taken back, and it will be submitted again.
func (t *Turn) arrive() bool {
	ts := t.turns
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t.sent = false
	if t.held {
		ts.begin.remove(t)
	}
	return t.held
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
		ts.begin.remove(t)
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
		if err := schedulers.TryOffer(ts.over, t, hint); err != nil {
			t.GiveUp(fmt.Errorf("%s: %w: refused by the scheduler beneath: %w", ts.name, schedulers.ErrShutdown, err))
			ts.mu.Lock()
			ts.leave(t)
			ts.mu.Unlock()
		}
	}
}

// next returns the next turn that begins, now held and to be submitted, or nil. Turns that go on are let
// go on the way, and so are those that are queued beneath already.
func (ts *Turns) next() *Turn {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if !ts.letGoOn() {
		return nil
	}
	for t := ts.waiting.first; t != nil; t = ts.waiting.first {
		queued := t.Queued() // no: a Shutdown has given it up
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

// Block implements [schedulers.Blocker]: it gives the turn away, and unblock waits until it can
// be had again. The scheduler beneath is told too, and may refuse.
func (t *Turn) Block() (unblock func(), err error) { return t.step(t.Visit.Block()) }

// BlockFor implements [schedulers.HomeBlocker]; see Block.
func (t *Turn) BlockFor(home schedulers.Scheduler, done <-chan struct{}) (unblock func(), err error) {
	return t.step(t.Visit.BlockFor(home, done))
}

// step gives the turn away when the worker beneath has answered, which is asked first: a turn that
// is given away for a wait that does not begin would have to be waited for.
func (t *Turn) step(inner func(), err error) (unblock func(), _ error) {
	if err != nil {
		return nil, err
	}
	t.yield()
	return sync.OnceFunc(func() {
		t.regain()
		inner()
	}), nil
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
