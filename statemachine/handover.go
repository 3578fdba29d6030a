package statemachine

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/schedulers"
)

// # A waiter that is handed over
//
// A machine that sends an element to another one, and then waits for the answer, makes the other
// one ready a moment before its worker is free. The usual way leads through the worker's queue:
// the lock, the work item, the lock, the work item again, and often a second worker in between,
// which steals the machine and its cache lines. A round trip takes twice as long then.
//
// So the run keeps the other chain in a field of its own, and the worker continues with it when
// the running chain has suspended. No other goroutine can see it there. That is also the danger:
//
//	a machine sends, and then waits in plain code for what the receiver does: a lock, a Go
//	channel, a loop that polls. The receiver is ready, and no worker will ever run it.
//
// A chain is kept only as long as no code of users runs, and published otherwise: submitted to
// its home, as usual.
//
//	the sender's machine                   what ends the keeping
//	 1. SendEnterSoon: the generator has     the next Send or Receive need not wait (their
//	    seen that only simple statements       entries, beginBeside): publish
//	    follow, up to the next Send or       the function returns: generated code calls Publish
//	    Receive                              a panic, before deferred calls and iterators run
//	 2. HandOver: keep the waiter              (both Leave, Catch, unwind): publish
//	 3. ReceiveEnter: nothing there;         the wait serves others in turn: publish, then notify
//	    suspend
//	 4. JoinQuietly                          a run that may be inside another: publish
//	 5. next: run the kept chain
//
// The same with Receive, if a sender waits for it, in the place of the first Send.
//
// Proof that no code of users waits for a kept chain. It is kept from step 2 to step 5, on one
// goroutine. Between the steps 1 and 3 the generator admits statements without calls, loops and
// channel operations, on every path that does not end in a return. All that can follow otherwise
// is in the right column, and publishes first. Step 4 runs no code of users either: it returns
// those that have to be notified. (The methods of a context may be a user's. They are called
// in many places where they must not wait for other work, and here too.)
//
// It is tempting to do without the generator, and to publish when the worker blocks: most waits
// of this library announce that. A mutex does not, nor does a loop.
//
// The worker decides whether the kept chain is the work that it would take next from its queue
// ([dispatch.Successor]), and counts the chain as if it had been there. So other work has its
// turn after as many work items as before, and a worker that runs one short work item after the
// other is not taken for one that is blocked.

// HandOver notifies the waiters, as their Deliver does. A single machine of the same home,
// however, is run when the running chain has suspended. Entries of the kind FEnterSoon call it,
// as the last thing that they do before they return without a suspension. It does not block.
func (r *Run) HandOver(waiters continuation.Chain) {
	r.Publish()
	if c := r.keepable(waiters); c != nil {
		r.handed = c
		return
	}
	waiters.Deliver(r.Worker())
}

// heard reports whether anybody hears of the resumption of c, so that it is not kept. It loads the
// probe's word once if nobody listens.
func heard(c *chain) bool {
	const always = probe.Lives | probe.Tables | probe.Events
	return probe.On(always|probe.Resumptions) && (probe.On(always) || c.isWatched())
}

// heardAt reports whether anybody hears of a suspension at home.
func heardAt(home *schedulers.Home) bool {
	return probe.On(probe.Suspensions) && (probe.On(probe.Lives|probe.Tables) || dispatch.FollowerOf(home) != nil)
}

// keepable returns the chain that is the only waiter and may be kept, or nil; r keeps none.
func (r *Run) keepable(waiters continuation.Chain) *chain {
	n := waiters.Alone()
	if n == nil || r.cache == nil || r.cache.successor == nil || r.labels != nil {
		return nil
	}
	c, ok := n.Target().(*chain)
	if !ok || heard(c) {
		return nil
	}
	if home := c.top.home; home != r.top.home || home.Labels != nil {
		return nil
	}
	return c
}

// Publish submits the chain that is kept, if there is one, to its home. Generated code calls it
// before it returns from a function that has called an entry FEnterSoon, and such entries call it
// before they return without a suspension. It does not block.
func (r *Run) Publish() {
	if r.handed != nil {
		r.publish()
	}
}

// publish is Publish for a run that keeps a chain. It is separate, so that gc inlines Publish.
func (r *Run) publish() {
	c := r.handed
	r.handed = nil
	c.submit(nil, schedulers.Hint{From: r.Worker(), Flags: schedulers.Resumed})
}

// next returns the kept chain, if the worker may run it now, and prepares r for it. Otherwise it
// publishes the chain and returns nil.
func (r *Run) next() *chain {
	c := r.handed
	r.handed = nil
	if !r.cache.successor.RunsNext() {
		c.submit(nil, schedulers.Hint{From: r.leaving(), Flags: schedulers.Resumed})
		return nil
	}
	r.top, r.awaiting, r.runs, r.ready = c.top, nil, 0, 0
	r.unwatch()
	if r.hasMore() {
		r.dropMore()
	}
	return c
}

// quietPending is a [Pending] whose Join can leave it to its caller to notify others.
type quietPending interface {
	// JoinQuietly is Join without notifying others: it returns those that the machine's
	// request has served, which may run code of users when they are notified.
	JoinQuietly(n *continuation.Node) (waits bool, served continuation.Chain)
}

// beginBeside begins the wait of c while r keeps another chain. It publishes the other chain if
// the wait may run code of users, which leaves the wait to register, or if c need not wait.
//
// The check for a kept chain is in its caller: as the first lines of register, for which gc then
// spilled more registers, it made each await of a job (W6c) 20 ns slower.
func (r *Run) beginBeside(c *chain) (waits, begun bool) {
	p, quiet := r.awaiting.(quietPending)
	home := r.top.home
	if !quiet || home.Labels != nil || budget.Spent(r.ready) || heardAt(home) {
		r.publish()
		return false, false
	}
	c.node.PrepareAlone(c)
	waits, served := p.JoinQuietly(&c.node)
	if !waits || (served != continuation.Chain{}) {
		r.publish()
		served.Deliver(r.Worker())
	}
	return waits, true
}
