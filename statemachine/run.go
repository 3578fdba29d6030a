package statemachine

import (
	"context"
	"time"

	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/labels"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/schedulers"
)

// Run is the state of one run of a chain of calls: from its hot start, or its
// resumption, to its next suspension or its end. The running frames share it, and
// nothing of it is needed while the chain is suspended. A hot start has its Run on its
// stack. A resumption borrows one: see lending.go.
//
// One goroutine uses a Run, the one that runs the chain.
type Run struct {
	// The chain: the running frames write these, and advance and register read them when a
	// frame has suspended or ended.

	top  *Frame // the frame that runs or, when the chain has suspended, the one to resume
	last *Frame // the outermost frame promoted in this run

	// The operation that the top frame waits for; nil: the frame yields. While the frame
	// runs: the object that Keep has kept.
	awaiting any
	// If the awaited operation is a sleep: the home whose timers arm it, and its length.
	clock *schedulers.Home
	pause time.Duration

	// How calls ended: advance writes these between two frames, and the next frame reads
	// them when it continues.

	// How the last callee ended, if not by returning; or why the awaited operation has
	// no result: the home refused, or a sleep's context has ended.
	failure *failure
	// The panic that was raised again last. Go now reports a newer stack for it; this
	// keeps the first one.
	raised *failure
	// The chain and the frame of it that has panicked, until control has returned to the caller
	// of advance.
	unsettled struct {
		chain *chain
		frame *Frame
	}

	// What the chain has set or taken outside itself. Operations write these while a frame
	// runs; they end or move into the chain when the run ends.

	// The labels that were set on the goroutine for the chain; nil: none. During a hot
	// start, those of SetGoroutineLabels. See labels.go.
	labels *labels.Labels
	// The watch of the context that several waits have in common, kept for the next
	// wait; see contextwatch.go.
	watch *ctxwatch.SharedWatch
	// The locks that the machine has taken, as they have noted it; see Holder.
	holder *probe.Holder

	// Where the Run was borrowed: borrow and giveBack write these, see lending.go. Both are
	// nil during a hot start.

	cache    *runCache
	nextFree *Run // in the cache

	// The chain to continue with when this one has suspended; see handover.go.
	handed *chain

	// The budget of the run: only the code that awaits counts here.

	// The number of awaited jobs that were run within this run, plus nested if this run
	// is inside another one.
	runs int32
	// The number of awaits that were complete; see budget.go.
	ready int32

	// Of the first step of a job's function: see onstack.go.

	// The awaited job has called runtime.Goexit, so the frames on the stack are promoted.
	exiting bool
	// The context of the job; nil: the frames are not promoted in that case.
	host context.Context
}

// Await records what the running frame waits for. It always returns false, so that
// generated code suspends with "return r.Await(x)". Registration follows when all frames
// have been promoted.
//
// It is not inlined: in a function with hundreds of awaits, gc would spend a third of its time on
// the debug information of so many copies.
//
//go:noinline
func (r *Run) Await(c awaiter.Completion) bool {
	r.awaiting = c
	return false
}

// Yield suspends once: the machine goes to the end of its home's queue. It
// always returns false.
func (r *Run) Yield() bool {
	r.awaiting = nil
	return false
}

// Push puts f, the frame of m, whose MoveNext has returned false, under the frames that were
// promoted before it, which are its callees. ctx is the function's first context parameter, or
// nil; its ambient scheduler becomes the frame's home.
func (r *Run) Push(ctx context.Context, m StateMachine, f *Frame) {
	f.self, f.ticket = m, 0
	if f.home == nil {
		f.home = dispatch.HomeOf(ctx)
	}
	if r.last == nil {
		r.top = f
	} else {
		r.last.caller = f
	}
	r.last = f
}

// elsewhere reports whether f, which has run at its home before, is known to be
// somewhere else now. A hot start may be anywhere, so it reports false: the functions
// that it calls start hot too.
func (r *Run) elsewhere(f *Frame) bool {
	return f.self != nil && r.cache != nil && r.top != nil && !sameHome(f, r.top)
}

// setHomes gives every frame that was promoted since the last resume its home: its
// own, or its caller's. bottom is the frame below them, which has one.
//
// Frames are linked from the inside out, and homes are inherited from the outside
// in, so frames without a home are remembered until one with a home is reached.
func setHomes(top, bottom *Frame) {
	for f := top; f != bottom; {
		g := f
		for g.home == nil {
			g = g.caller
		}
		for ; f != g; f = f.caller {
			f.home = g.home
		}
		if f != bottom {
			f = f.caller
		}
	}
}

// runAndGiveBack runs c until it suspends or ends, and ends the loan of r. It does not return if
// a frame calls runtime.Goexit. In contrast to [chain.Run] it may run inside another run, which
// continues on this worker, so it runs no other chain.
func (r *Run) runAndGiveBack(c *chain) {
	returned := false
	defer func() {
		if !returned {
			r.settleElsewhere()
		}
	}()
	if c = r.advance(c, false); c != nil {
		r.advanceOn(c, false)
	}
	r.Publish()
	r.giveBack()
	returned = true
}

// advanceOn runs c on, of which a frame has panicked: control has returned from there.
func (r *Run) advanceOn(c *chain, own bool) {
	for c != nil && r.settle(c, false) {
		c = r.advance(c, own)
	}
}

// settle ends the frame that has panicked, and reports whether its caller continues here.
func (r *Run) settle(c *chain, elsewhere bool) bool {
	failed := r.unsettled.frame
	r.unsettled.chain, r.unsettled.frame = nil, nil
	if r.pop(failed) == nil {
		r.failure.report(r.Worker())
		root := rootOf(failed)
		root.end.fail(root.job, r.failure, r.Worker())
		return false
	}
	if elsewhere || !sameHome(r.top, failed) {
		r.goHome(c, r.Worker())
		return false
	}
	return true
}

// settleElsewhere is settle where control does not return to the caller of advance, because the
// goroutine exits.
func (r *Run) settleElsewhere() {
	if c := r.unsettled.chain; c != nil {
		r.failure = r.failure.exiting()
		r.settle(c, true)
	}
}

// advance runs frames until the chain suspends or ends (nil), or a frame has panicked (the chain,
// which settle then prepares for its caller). If the chain is its
// worker's own work, advance then runs the chain that r keeps, and the one that this leaves in
// turn, and so on.
//
// One deferred function serves all frames that return normally, not one per frame, and all kept
// chains (W8: 117 ns, and 124 with a call for each).
func (r *Run) advance(c *chain, own bool) (again *chain) {
	running := r.top
	defer func() {
		if running != nil && r.unwind(c, running, recover()) {
			again = c
		}
	}()
	for running != nil {
		r.last = nil
		if !running.self.MoveNext(r) {
			r.registerSuspended(c, &running)
			if running == nil && own && r.handed != nil {
				if c = r.next(); c != nil {
					running = r.top
				}
			}
			continue
		}
		callee := running
		if running = r.pop(callee); running != nil && running.home != callee.home && !sameHome(running, callee) {
			running = nil
			r.goHome(c, r.leaving())
		}
	}
	return nil
}

// pop takes a frame that has ended off the chain and returns its caller, the new top, or nil.
func (r *Run) pop(f *Frame) *Frame {
	r.top = f.caller
	return r.top
}

// registerSuspended links the frames that the running frame has promoted above it and registers
// the chain. *running becomes nil if the chain now belongs to another goroutine, or the
// frame to continue with if the awaited operation has completed meanwhile.
func (r *Run) registerSuspended(c *chain, running **Frame) {
	from := *running
	if r.last != nil {
		r.last.caller = from
		setHomes(r.top, from)
	} else {
		r.top = from
	}
	c.top = r.top
	*running = nil
	r.unwatch()
	var waits, begun bool
	if r.handed != nil {
		waits, begun = r.beginBeside(c)
	}
	if !begun {
		waits = r.register(c)
	}
	if !waits {
		r.awaiting = nil // what has ended must not be kept alive
		r.ready++
		if !sameHome(r.top, from) {
			r.goHome(c, r.leaving())
			return
		}
		*running = r.top
	}
}

// goHome makes c continue at the home of its top frame. It enforces the rule that every
// frame resumes on its own home. A frame is resumed by the end of an operation, which
// submits it there, by the end of its callee, or because the operation that it was about
// to wait for had ended meanwhile. The last two happen where another frame ran, perhaps
// elsewhere.
//
// It is tempting to let the caller continue here, up to its next suspension: that would
// save a turn in a queue. But programs choose an event loop or a strand for work that
// must not run elsewhere, and the caller cannot see where its callee ended.
//
// from is the worker that the hint names. It is [Run.leaving] where the chain's work on it
// ends in the usual way, so that it is free a moment later, and else [Run.Worker].
func (r *Run) goHome(c *chain, from schedulers.Worker) {
	r.keepLabels()
	c.top = r.top
	c.submit(r.failure, schedulers.Hint{From: from, Flags: schedulers.Resumed})
}

// submit submits c to its home; its top frame gets the failure how, unless that is nil. If the
// home refuses, the chain continues on a new goroutine, and its await returns the refusal, so
// that a function that has started can run its deferred calls.
func (c *chain) submit(how *failure, from schedulers.Hint) {
	var w schedulers.Work = c
	if how != nil {
		w = &delivery{c, how}
	}
	if probe.On(probe.Resumptions) {
		c.submitWatched(w, from)
		return
	}
	if err := c.top.home.TrySubmit(w, from); err != nil {
		w.Abandon(err)
	}
}

// register registers c with the operation that it waits for and returns true, after
// which the caller must not touch c; false: the operation has completed, so c continues.
func (r *Run) register(c *chain) bool {
	home := r.top.home
	if home.Labels != r.labels {
		home = r.keepLabels()
	}
	if probe.On(probe.Suspensions) {
		return r.registerWatched(c, home.Follower)
	}
	return budget.Spent(r.ready) && r.yieldFirst(c) || r.begin(c)
}

// yieldFirst lets c, whose run has used up its budget, yield before it begins its wait. It
// returns false if that leaves the worker anyway, unless nothing else wants it.
func (r *Run) yieldFirst(c *chain) (yields bool) {
	r.ready = 0
	var w schedulers.Work
	switch a := r.awaiting.(type) {
	case nil, sleeping, *guardedSleeping, *switching:
		return false
	case skippedSleep:
		w = &delivery{c, a.failure}
	default:
		w = &yielded{chain: c, awaiting: a}
	}
	r.requeue(w)
	return true
}

// requeue submits w, the chain that yields or stands for it, to the end of its home's queue.
func (r *Run) requeue(w schedulers.Work) {
	hint := schedulers.Hint{From: r.leaving(), Flags: schedulers.Resumed | schedulers.PreferFairness}
	if err := r.top.home.TrySubmit(w, hint); err != nil {
		w.Abandon(err)
	}
}

// begin begins the wait of c. The operations of this package have a case each: a method of an
// interface that took r would move the Run of every hot start to the heap.
func (r *Run) begin(c *chain) (waits bool) {
	switch w := r.awaiting.(type) {
	case nil:
		if r.runsAgain() {
			return false
		}
		r.requeue(c)
		return true
	case sleeping:
		return r.arm(c)
	case *guardedSleeping:
		return r.armGuarded(w, c)
	case *switching:
		return r.queueSwitch(w, c)
	case skippedSleep: // a search has ended since, so there is no need to yield
		r.failure = w.failure
		return false
	case Pending:
		c.node.PrepareAlone(c)
		return w.Join(&c.node, r.Worker())
	case awaiter.Registrar:
		if j := jobcore.Of(w); j != nil {
			return r.registerWithJob(c, w, j)
		}
		c.node.Prepare(c)
		return w.Register(&c.node)
	default:
		return r.registerForeign(c, w.(awaiter.Completion))
	}
}

// runsAgain reports whether the machine, which yields, continues at once, because its worker has
// nothing else to run. The way through the home would take twice as long. The worker is asked
// only if it is surely this goroutine's, and if the machine is what it runs: within another run,
// the waiter for the machine might have given up meanwhile.
func (r *Run) runsAgain() bool {
	if r.cache == nil || r.cache.successor == nil || r.runs&nested != 0 || !r.cache.successor.RunsAgain(r.top.home.Scheduler) {
		return false
	}
	r.runs, r.ready = 0, 0
	if r.raised != nil || r.holder != nil {
		r.raised, r.holder = nil, nil
	}
	return true
}

// registerWithJob is register for a job, which is run in place if it can be. It does for machines
// what Job.Wait does for goroutines: an await that closes a cycle of jobs returns a
// *job.CycleError, and c stays the caller's. The search for the cycle comes after the
// registration, but the chain's own job is recorded before it; the reasons are in
// jobcore.Awaiting and in cycle.go of package job.
func (r *Run) registerWithJob(c *chain, w awaiter.Registrar, j jobcore.Internals) bool {
	if worker := r.Worker(); worker != nil {
		if r.runs&^nested >= jobcore.MaxRuns {
			j.StartLast(r.leaving())
		} else if j.Claim(worker) {
			return r.runAwaited(c, j)
		}
	}
	var waiting jobcore.Internals
	if j.Waits() {
		waiting = jobcore.Of(c.WaitingJob())
	}
	c.node.Prepare(c)
	if !w.Register(&c.node) {
		return false
	}
	return waiting == nil || !r.closesCycle(c, j, waiting)
}

// closesCycle reports whether c, whose job is waiting, must not wait for the job that it has
// registered with. Then c belongs to the caller again. Otherwise, and also between the
// registration and this call, it belongs to another goroutine.
func (r *Run) closesCycle(c *chain, awaited, waiting jobcore.Internals) bool {
	err := awaited.WithdrawIfCycle(&c.node, waiting)
	if err != nil {
		r.failure = &failure{refusal: err}
	}
	return err != nil
}

// nested is added to the field runs of a Run within another one. The end of such a Run
// is not the end of its worker's current work.
const nested = 1 << 16

// runAwaited runs the awaited job here, which was claimed for that, and reports whether
// the chain will be notified of its end. If not, the job has ended, and the machine
// continues at once: no suspension, no resumption, no turn in a queue.
func (r *Run) runAwaited(c *chain, j jobcore.Internals) (notified bool) {
	r.runs++
	worker := r.cache.worker
	c.node.PrepareAttended(c)
	returned := false
	defer func() {
		// A job that calls runtime.Goexit takes the goroutine with it, but not its
		// awaiter.
		if !returned && !j.LeaveClaimed(&c.node) {
			c.submit(nil, schedulers.Hint{From: worker, Flags: schedulers.Resumed})
		}
	}()
	if r.labels != nil {
		labels.Clear()
		defer r.labels.Set()
	}
	j.RunClaimed(&c.node, worker, r.spent())
	returned = true
	return j.LeaveClaimed(&c.node)
}

// unwind ends a frame that did not return. v is the value of its panic, or nil if the goroutine
// exits; then the frames below continue elsewhere, even if they are at home here. After a panic
// the goroutine may exit too, so unwind leaves the rest to the caller of advance, if that gets
// control, and returns true.
func (r *Run) unwind(c *chain, failed *Frame, v any) (again bool) {
	r.Publish()
	r.unwatch() // the chain may end, and with a Goexit r does
	if v == nil && failed.State > 0 {
		r.continueElsewhere(c, failed)
		return false
	}
	if v != nil {
		r.failure = r.ended(v)
	} else {
		r.failure = r.exited()
	}
	failed.State = Finished
	r.unsettled.chain, r.unsettled.frame = c, failed
	if r.failure.goexit {
		r.settle(c, true)
		return false
	}
	return true
}

// continueElsewhere lets a frame continue that has suspended, or has reached its epilogue, while
// the goroutine exits.
func (r *Run) continueElsewhere(c *chain, f *Frame) {
	if r.last != nil {
		if r.registerSuspended(c, &f); f == nil {
			return
		}
	}
	r.goHome(c, r.Worker())
}
