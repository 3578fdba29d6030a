package statemachine

import (
	"context"

	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/tracking"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Run is the state of one run of a chain of calls: from its hot start, or from where it was
// resumed, to where it suspends or ends. It is what the running frames share, and
// nothing of it is needed while the chain is suspended. A hot start has its Run on its
// stack. A resumption borrows one: see lending.go.
//
// One goroutine uses a Run, the one that runs the chain.
type Run struct {
	top  *Frame // the frame that runs or, when the chain has suspended, the one to resume
	last *Frame // the outermost frame promoted in this run

	// What the top frame waits for; nil: it yields. While the frame runs: what is kept
	// for it.
	awaiting any
	// The timers that arm what it waits for, if that is a sleep.
	timers schedulers.Timers

	// How the last callee ended, if not by returning; or why the awaited operation has
	// no result: home refused, a sleep's context has ended.
	outcome *outcome

	// The panic that was raised again last: it has a newer stack now, and this is
	// where the first one is.
	raised *outcome

	// What the goroutine was given for the chain; nil: nothing. During a hot start, by
	// SetGoroutineLabels. See labels.go.
	labels *schedulers.Labels

	// The watch of the context of the waits that came one after the other, kept for the next
	// one; see lasting.go.
	watch *ctxwatch.Lasting

	holder *schedulers.Holder // what locks have noted that the machine took; see Holder

	lender *lender // where it runs and was borrowed; nil during a hot start
	next   *Run    // of the free ones there

	// The awaited jobs that were run within this run, and those that others have run
	// around it (nested).
	runs int32
	// The awaits that were complete; see budget.go.
	ready int32
}

// Await notes what the running frame waits for. It always returns false, so that
// generated code suspends with "return r.Await(x)". Registration follows when all
// frames have been promoted.
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

// SwitchTo moves f to s: it continues there, also after each later suspension. Its
// caller stays where it is. It always returns false. After the resume [Run.Refusal]
// tells whether s took it.
func (r *Run) SwitchTo(f *Frame, s schedulers.Scheduler) bool {
	f.home = schedulers.HomeFor(s)
	return r.Yield()
}

// Push puts a promoted frame, whose MoveNext has returned false, under the frames that
// were promoted before it: its callees. ctx is the function's first context
// parameter, or nil; its ambient scheduler becomes the frame's home.
func (r *Run) Push(ctx context.Context, m framed) {
	f := m.base()
	f.self = m
	if f.home == nil {
		f.home = schedulers.HomeOf(ctx)
	}
	if r.last == nil {
		r.top = f
	} else {
		r.last.caller = f
	}
	r.last = f
}

// elsewhere reports whether the home of f, which has been there before, is known to be
// another place than this. A hot start may be anywhere: what it calls starts hot as
// well.
func (r *Run) elsewhere(f *Frame) bool {
	return f.self != nil && r.lender != nil && r.top != nil && !f.atHomeOf(r.top)
}

// framed is a StateMachine that embeds Frame.
type framed interface {
	StateMachine
	base() *Frame
}

func (f *Frame) base() *Frame { return f }

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

// goOn runs c until it suspends or ends, and ends the loan of r. It does not return if
// a frame calls runtime.Goexit.
func (r *Run) goOn(c *chain) {
	for r.advance(c) {
	}
	r.giveBack()
}

// advance runs frames until the chain suspends or ends (false), or a frame has panicked
// (true: the panic is kept, the frame's caller is the top, continue).
//
// There is one deferred function for as many frames as return normally, not
// one a frame.
func (r *Run) advance(c *chain) (again bool) {
	running := r.top
	defer func() {
		if running == nil {
			return
		}
		again = r.unwind(c, running, recover())
	}()
	for running != nil {
		r.last = nil
		if !running.self.MoveNext(r) {
			r.suspended(c, &running)
			continue
		}
		callee := running
		if running = r.pop(callee); running != nil && running.home != callee.home && !running.atHomeOf(callee) {
			running = nil
			r.goHome(c)
		}
	}
	return false
}

// pop takes a frame that has ended off the chain and returns its caller, which is the
// top then, or nil.
func (r *Run) pop(f *Frame) *Frame {
	r.top = f.caller
	return r.top
}

// suspended links what the running frame has promoted above it and registers the
// chain. *running becomes nil if the chain is no longer ours, or the frame to go
// on with if what it waits for has completed meanwhile.
func (r *Run) suspended(c *chain, running **Frame) {
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
	if !r.register(c) {
		r.awaiting = nil // what has ended must not be kept alive
		r.ready++
		if !r.top.atHomeOf(from) {
			r.goHome(c)
			return
		}
		*running = r.top
	}
}

// goHome makes c continue at the home of its top frame, which is not where the frame
// that ran last has its own. It is what keeps the rule that every frame resumes on its
// own home: a frame is resumed by an operation's end, which submits it there, by its
// callee's end, or because what it was about to wait for had ended meanwhile. The last
// two happen where another frame ran.
//
// It is tempting to let the caller continue here, up to its next suspension: that saves
// a turn in a queue. But programs choose an event loop or a strand for work that must
// not run elsewhere, and the caller cannot see where its callee ended.
func (r *Run) goHome(c *chain) {
	r.keepLabels()
	c.top = r.top
	c.submitWith(r.outcome, schedulers.Hint{From: r.leaving(), Flags: schedulers.Resumed})
}

// register hands c to what it waits for and returns true, after which the caller must
// not touch it; false: that has completed, continue.
func (r *Run) register(c *chain) bool {
	home := r.top.home
	if home.Labels != r.labels {
		home = r.keepLabels()
	}
	if f := home.Follower; f != nil || tracking.On() {
		return r.registerFollowed(c, f)
	}
	return r.handOver(c)
}

// handOver is register for a chain of which nothing else has to know.
func (r *Run) handOver(c *chain) bool {
	if budget.Spent(r.ready) {
		return r.giveWay(c)
	}
	switch w := r.awaiting.(type) {
	case nil:
		// It is chain.submit without a call, since a yield is nothing but this.
		hint := schedulers.Hint{From: r.leaving(), Flags: schedulers.Resumed | schedulers.PreferFairness}
		if err := r.top.home.TrySubmit(c, hint); err != nil {
			c.Abandon(err)
		}
		return true
	case *sleeping:
		return r.arm(w, c)
	case *guardedSleeping:
		return r.armGuarded(w, c)
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

// registerWithJob is register for a job, which is run in place if it can be.
func (r *Run) registerWithJob(c *chain, w awaiter.Registrar, j jobcore.Insides) bool {
	if on := r.Worker(); on != nil {
		if r.runs&^nested >= runsPerYield {
			j.StartLast(r.leaving())
		} else if j.Take(on) {
			return r.runAwaited(c, j)
		}
	}
	c.node.Prepare(c)
	return r.enlist(c, w, beginCycleCheck(c, j))
}

// runsPerYield is how many jobs a machine runs itself before it gives way to what is
// queued on its worker: as many work items as the pool takes from one queue before it looks
// at the others.
const runsPerYield = 61

// nested is added to the field runs of a Run within another one. Its end
// is not that of its worker's current work.
const nested = 1 << 16

// runAwaited runs the awaited job here, which was claimed for that, and reports whether
// the chain will be notified of its end. If not, it has ended, and the machine continues
// without having left: no suspension, no resumption, no turn in a queue.
func (r *Run) runAwaited(c *chain, j jobcore.Insides) (notified bool) {
	r.runs++
	on := r.lender.on
	c.node.PrepareAttended(c)
	returned := false
	defer func() {
		// A job that calls runtime.Goexit takes the goroutine with it, but not its
		// awaiter.
		if !returned && !j.LeaveTaken(&c.node) {
			c.submit(schedulers.Hint{From: on, Flags: schedulers.Resumed})
		}
	}()
	if r.labels != nil {
		schedulers.ClearLabels()
		defer r.labels.Set()
	}
	j.RunTaken(&c.node, on, r.spent())
	returned = true
	return j.LeaveTaken(&c.node)
}

// unwind takes a frame that did not return off the chain. v is what it panicked with,
// or nil if it called runtime.Goexit; then this goroutine is ending, and the frames
// below continue elsewhere.
func (r *Run) unwind(c *chain, failed *Frame, v any) (again bool) {
	r.unwatch()                       // the chain may end, and with a Goexit r does
	if v == nil && failed.State > 0 { // it continues at its epilogue
		r.sendOn(c)
		return false
	}
	failed.State = Finished
	if v == nil {
		r.outcome = &outcome{goexit: true}
	} else {
		r.outcome = r.panicked(v)
	}
	r.raised = nil
	if r.pop(failed) == nil {
		r.outcome.report(r.Worker())
		failed.self.(root).fail(r.outcome.err(), r.Worker())
		return false
	}
	if v == nil || !r.top.atHomeOf(failed) {
		r.sendOn(c)
		return false
	}
	return true
}

// sendOn makes c continue elsewhere, since this goroutine is ending, or is not at home
// for the top frame.
func (r *Run) sendOn(c *chain) {
	r.keepLabels()
	c.top = r.top
	c.submitWith(r.outcome, schedulers.Hint{From: r.Worker(), Flags: schedulers.Resumed})
}

// root is the machine at the end of a chain: the one with the job.
type root interface {
	fail(err error, on schedulers.Worker)
	handle() job.Handle
}
