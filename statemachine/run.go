package statemachine

import (
	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/tracking"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// goOn runs c until it suspends or ends, and ends the loan of t. It does not return if
// a frame calls runtime.Goexit.
func (t *Task) goOn(c *chain) {
	for t.advance(c) {
	}
	t.giveBack()
}

// advance runs frames until the chain suspends or ends (false), or a frame has panicked
// (true: the panic is kept, the frame's caller is the top, continue).
//
// There is one deferred function for as many frames as return normally, not
// one a frame.
func (t *Task) advance(c *chain) (again bool) {
	running := t.top
	defer func() {
		if running == nil {
			return
		}
		again = t.unwind(c, running, recover())
	}()
	for running != nil {
		t.last = nil
		if !running.self.MoveNext(t) {
			t.suspended(c, &running)
			continue
		}
		callee := running
		if running = t.pop(callee); running != nil && running.home != callee.home && !running.atHomeOf(callee) {
			running = nil
			t.goHome(c)
		}
	}
	return false
}

// pop takes a frame that has ended off the chain and returns its caller, which is the
// top then, or nil.
func (t *Task) pop(f *Frame) *Frame {
	t.top = f.caller
	return t.top
}

// suspended links what the running frame has promoted above it and registers the
// chain. *running becomes nil if the chain is no longer ours, or the frame to go
// on with if what it waits for has completed meanwhile.
func (t *Task) suspended(c *chain, running **Frame) {
	from := *running
	if t.last != nil {
		t.last.caller = from
		setHomes(t.top, from)
	} else {
		t.top = from
	}
	c.top = t.top
	*running = nil
	if !t.register(c) {
		t.awaiting = nil // what has ended must not be kept alive
		t.ready++
		if !t.top.atHomeOf(from) {
			t.goHome(c)
			return
		}
		*running = t.top
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
func (t *Task) goHome(c *chain) {
	t.keepLabels()
	c.top = t.top
	c.submitWith(t.outcome, schedulers.Hint{From: t.leaving(), Flags: schedulers.Resumed})
}

// register hands c to what it waits for and returns true, after which the caller must
// not touch it; false: that has completed, continue.
func (t *Task) register(c *chain) bool {
	home := t.top.home
	if home.Labels != t.labels {
		home = t.keepLabels()
	}
	if f := home.Follower; f != nil || tracking.On() {
		return t.registerFollowed(c, f)
	}
	return t.handOver(c)
}

// handOver is register for a chain of which nothing else has to know.
func (t *Task) handOver(c *chain) bool {
	if budget.Spent(t.ready) {
		return t.giveWay(c)
	}
	switch w := t.awaiting.(type) {
	case nil:
		// It is chain.submit without a call, since a yield is nothing but this.
		hint := schedulers.Hint{From: t.leaving(), Flags: schedulers.Resumed | schedulers.PreferFairness}
		if err := schedulers.TrySubmit(t.top.home, c, hint); err != nil {
			c.Abandon(err)
		}
		return true
	case *sleeping:
		return t.arm(w, c)
	case *guardedSleeping:
		return t.armGuarded(w, c)
	case Pending:
		c.node.PrepareAlone(c)
		return w.Join(&c.node, t.Worker())
	case awaiter.Registrar:
		if j := jobcore.Of(w); j != nil {
			return t.registerWithJob(c, w, j)
		}
		c.node.Prepare(c)
		return w.Register(&c.node)
	default:
		return t.registerForeign(c, w.(awaiter.Completion))
	}
}

// registerWithJob is register for a job, which the task runs itself, if it can.
func (t *Task) registerWithJob(c *chain, w awaiter.Registrar, j jobcore.Insides) bool {
	if on := t.Worker(); on != nil {
		if t.runs&^nested >= runsPerTurn {
			j.StartLast(t.leaving())
		} else if j.Take(on) {
			return t.runAwaited(c, j)
		}
	}
	c.node.Prepare(c)
	return t.enlist(c, w, lookOut(c, j))
}

// runsPerTurn is how many jobs a machine runs itself before it gives way to what is
// queued on its worker: as many work items as the pool takes from one queue before it looks
// at the others.
const runsPerTurn = 61

// nested is added to the runs of a task that runs within those of another one. Its end
// is not that of its worker's current work.
const nested = 1 << 16

// runAwaited runs the awaited job here, which was claimed for that, and reports whether
// the chain will be told of its end. If not, it has ended, and the machine continues
// without having left: no suspension, no resumption, no turn in a queue.
func (t *Task) runAwaited(c *chain, j jobcore.Insides) (told bool) {
	t.runs++
	on := t.lender.on
	c.node.PrepareAttended(c)
	returned := false
	defer func() {
		// A job that calls runtime.Goexit takes the goroutine with it, but not its
		// awaiter.
		if !returned && !j.LeaveTaken(&c.node) {
			c.submit(schedulers.Hint{From: on, Flags: schedulers.Resumed})
		}
	}()
	if t.labels != nil {
		schedulers.ClearLabels()
		defer t.labels.Set()
	}
	j.RunTaken(&c.node, on, t.spent())
	returned = true
	return j.LeaveTaken(&c.node)
}

// unwind takes a frame that did not return off the chain. v is what it panicked with,
// or nil if it called runtime.Goexit; then this goroutine is ending, and the frames
// below continue elsewhere.
func (t *Task) unwind(c *chain, failed *Frame, v any) (again bool) {
	if v == nil && failed.State > 0 { // it continues at its epilogue
		t.sendOn(c)
		return false
	}
	failed.State = Finished
	if v == nil {
		t.outcome = &outcome{goexit: true}
	} else {
		t.outcome = t.panicked(v)
	}
	t.raised = nil
	if t.pop(failed) == nil {
		t.outcome.report(t.Worker())
		failed.self.(root).fail(t.outcome.err(), t.Worker())
		return false
	}
	if v == nil || !t.top.atHomeOf(failed) {
		t.sendOn(c)
		return false
	}
	return true
}

// sendOn makes c continue elsewhere, since this goroutine is ending, or is not at home
// for the top frame.
func (t *Task) sendOn(c *chain) {
	t.keepLabels()
	c.top = t.top
	c.submitWith(t.outcome, schedulers.Hint{From: t.Worker(), Flags: schedulers.Resumed})
}

// root is the machine at the end of a chain: the one with the job.
type root interface {
	fail(err error, on schedulers.Worker)
	handle() job.Handle
}
