package statemachine

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/internal/timers"
	"github.com/movenext/movenext/schedulers"
)

// chain is the part of a chain of suspended calls that brings it back onto a scheduler.
// It is work, continuation, registration and timer callback in one, and it is a field of
// the chain's root. Each of a million sleeping machines has one, so the fields that only
// a running chain needs are in its [Run].
//
// # Ownership
//
// At each moment a chain and all its frames have exactly one owner: the goroutine that
// runs it, the operation that it is registered with, or the scheduler that it was
// submitted to. Ownership passes
//
//	running ──register──▶ registered ──Completed──▶ submitted ──Run──▶ running
//	   │                                                ▲
//	   └────────────────── yield ──────────────────────┘
//
// by the list's compare-and-swap, the list's swap, and the scheduler's queue, each of
// which makes earlier writes visible to the next owner. (A sleep is registered with
// timers, and submitted by their expiry; see sleep.go.) So the fields are plain. The
// price is one rule: registering is the last thing that the running goroutine does with
// a chain. Any access after it is a data race. (The Run belongs to its goroutine before
// and after.)
type chain struct {
	_    [0]func() // as in a job: nothing compares two
	node continuation.Node
	top  *Frame // the frame to resume
}

// takeOver makes c the chain of the frames that have suspended in the run of a hot
// start. bottom is the frame of their promoted root, ctx the context of its function.
func (c *chain) takeOver(ctx context.Context, hot *Run, bottom *Frame) {
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
		c.submit(hot.failure, schedulers.Hint{Flags: schedulers.Resumed})
	}
	hot.labels = nil
}

// Run implements schedulers.Work: it runs the chain until it suspends or ends.
//
// The loop is inlined by hand: with a call a resumption takes 30 to 33 ns
// instead of 28 ns (BenchmarkSuspendAndResume). (Remembering the last Run, usually that of
// the same worker, would save a nanosecond, and cost 8 bytes in each suspended machine.)
func (c *chain) Run(worker schedulers.Worker) {
	r := borrow(worker)
	r.top = c.top
	if l := r.top.home.Labels; l != nil {
		r.applyLabels(l)
	}
	returned := false
	defer func() {
		if !returned {
			r.settleElsewhere()
		}
	}()
	if c = r.advance(c, true); c != nil {
		r.advanceOn(c, true)
	}
	r.Publish()
	r.giveBack()
	returned = true
}

// Completed implements continuation.Target.
func (c *chain) Completed(from schedulers.Worker) continuation.Chain {
	c.submit(nil, schedulers.Hint{From: from, Flags: schedulers.Resumed})
	return continuation.Chain{}
}

// Expire implements schedulers.Expirer: a sleep is over.
func (c *chain) Expire(*schedulers.Timer) { c.submit(nil, schedulers.Hint{Flags: schedulers.Resumed}) }

// NewSleepers implements timers.Sleeper.
func (c *chain) NewSleepers() timers.Sleepers { return new(timers.SleepersOf[*chain]) }

// ExpiryOnlySubmits tells a simulation that Expire does no more than that, without its timer, and
// that the timer of such a sleep is never stopped.
func (c *chain) ExpiryOnlySubmits() {}

// Abandon implements schedulers.Work: the home accepted the chain and has ended since.
func (c *chain) Abandon(reason error) { go (&delivery{c, &failure{refusal: reason}}).Run(nil) }

// delivery is a chain that continues elsewhere, with a failure for its top frame. Few
// chains have one, so the chain has no field for it.
type delivery struct {
	chain   *chain
	failure *failure
}

// Run implements schedulers.Work.
func (d *delivery) Run(worker schedulers.Worker) {
	r := borrow(worker)
	r.top, r.failure = d.chain.top, d.failure
	r.applyHomeLabels()
	r.runAndGiveBack(d.chain)
}

// Abandon implements schedulers.Work. The frame gets the failure, and not only the error
// that the home has ended.
func (d *delivery) Abandon(error) { go d.Run(nil) }

var (
	_ schedulers.Work     = (*chain)(nil)
	_ schedulers.Work     = (*delivery)(nil)
	_ timers.Sleeper      = (*chain)(nil)
	_ continuation.Target = (*chain)(nil)
)
