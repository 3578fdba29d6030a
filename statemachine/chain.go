package statemachine

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/schedulers"
)

// chain is what a chain of suspended calls has in addition to its frames: its way back
// onto a scheduler. It is work, continuation, registration and timer callback in one,
// and it lies in the chain's root. Each of a million sleeping machines has one, so what
// only a running chain needs is in its [Run].
//
// # Ownership
//
// At each moment exactly one of three owns a chain and all its frames: the goroutine
// that runs it, the operation that it is registered with, the scheduler
// that it was submitted to. Ownership passes
//
//	running ──register──▶ registered ──Completed──▶ submitted ──Run──▶ running
//	   │                                                ▲
//	   └────────────────── yield ──────────────────────┘
//
// by the list's compare-and-swap, the list's swap, and the scheduler's queue, each of
// which orders what came before it. (A sleep is registered with timers, and submitted
// by their expiry; see sleep.go.) So the fields are plain. The price is one rule:
// registering is the last thing that the running goroutine does with a chain. A line
// after it is a data race. (The Run is its own goroutine's, before and after.)
type chain struct {
	node continuation.Node
	top  *Frame // the frame to resume
}

// takeOver makes c the chain of the frames that have suspended with the run of a hot
// start. m is their promoted root, ctx the context of its function.
func (c *chain) takeOver(ctx context.Context, hot *Run, m framed) {
	bottom := m.base()
	if bottom.home == nil {
		bottom.home = ambient.Home(context.Background())
	}
	setHomes(hot.top, bottom)
	c.top = hot.top
	hot.takeLabels(ctx)
}

// begin registers a chain after its hot start. If the awaited operation has completed
// meanwhile, the chain is still submitted: it resumes at home, not on the goroutine of
// the function's caller.
func (c *chain) begin(hot *Run) {
	if !hot.register(c) {
		c.submitWith(hot.outcome, schedulers.Hint{Flags: schedulers.Resumed})
	}
	hot.labels = nil
}

// Run implements schedulers.Work: it runs the chain until it suspends or ends.
//
// The body is goOn, written out: a call makes a resumption take
// 30 to 33 ns instead of 28 ns. (Remembering the last Run, mostly that of the same
// worker, saves a nanosecond, and takes 8 bytes of each suspended machine.)
func (c *chain) Run(on schedulers.Worker) {
	t := borrow(on)
	t.top = c.top
	if l := t.top.home.Labels; l != nil {
		t.wear(l)
	}
	for t.advance(c) {
	}
	t.giveBack()
}

// Completed implements continuation.Target.
func (c *chain) Completed(from schedulers.Worker) continuation.Chain {
	c.submit(schedulers.Hint{From: from, Flags: schedulers.Resumed})
	return continuation.Chain{}
}

// Expire implements schedulers.Expirer: a sleep is over.
func (c *chain) Expire(*schedulers.Timer) { c.submit(schedulers.Hint{Flags: schedulers.Resumed}) }

// submit sends the chain home. If home refuses, the chain continues on a goroutine of
// its own, and its await returns the refusal, so that a function that has started can
// run its deferred calls.
func (c *chain) submit(from schedulers.Hint) {
	if c.top.home.Follower != nil || c.top.ticket != 0 {
		c.submitFollowed(from)
		return
	}
	if err := c.top.home.TrySubmit(c, from); err != nil {
		c.Abandon(err)
	}
}

// submitFollowed is submit for a chain that is followed, tracked or told of.
func (c *chain) submitFollowed(from schedulers.Hint) {
	f, told := c.unfollow()
	var w schedulers.Work = c
	if told {
		w = &resumed{c}
	}
	if err := c.top.home.TrySubmit(w, from); err != nil {
		w.Abandon(err)
	}
	arrived(f)
}

// Abandon implements schedulers.Work: home has accepted the chain and ended since.
func (c *chain) Abandon(reason error) { go (&delivery{c, &outcome{refusal: reason}}).Run(nil) }

// submitWith is submit for a chain whose top frame must be told o; nil: nothing to
// tell.
func (c *chain) submitWith(o *outcome, from schedulers.Hint) {
	if o == nil {
		c.submit(from)
		return
	}
	f := c.awake()
	b := &delivery{c, o}
	if err := c.top.home.TrySubmit(b, from); err != nil {
		b.Abandon(err)
	}
	arrived(f)
}

// delivery is a chain that continues elsewhere, with the outcome to tell its top frame
// there. Few chains have one, so the chain has no field for it.
type delivery struct {
	of   *chain
	news *outcome
}

// Run implements schedulers.Work.
func (b *delivery) Run(on schedulers.Worker) {
	t := borrow(on)
	t.top, t.outcome = b.of.top, b.news
	t.wearOwn()
	t.goOn(b.of)
}

// Abandon implements schedulers.Work. The frame must be told more than that home has
// ended.
func (b *delivery) Abandon(error) { go b.Run(nil) }

var (
	_ schedulers.Work     = (*chain)(nil)
	_ schedulers.Work     = (*delivery)(nil)
	_ schedulers.Expirer  = (*chain)(nil)
	_ continuation.Target = (*chain)(nil)
)
