package statemachine

import (
	"runtime/debug"

	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Run implements schedulers.Work: it runs the task until it suspends or ends.
func (t *Task) Run(on schedulers.Worker) {
	t.on, t.top.runs, t.awaiting = on, 0, nil
	for t.advance() {
	}
}

// advance runs frames until the task suspends or ends (false), or a frame has
// panicked (true: the panic is kept, the frame's caller is the top, go on).
//
// There is one deferred function for as many frames as return normally, not
// one a frame.
func (t *Task) advance() (again bool) {
	running := t.top
	defer func() {
		if running == nil {
			return
		}
		again = t.unwind(running, recover())
	}()
	for running != nil {
		t.last = nil
		if !running.self.MoveNext(t) {
			t.suspended(&running)
			continue
		}
		running = t.pop(running)
	}
	return false
}

// pop takes a frame that has ended off the chain and returns its caller, which is the top then, or nil.
func (t *Task) pop(f *Frame) *Frame {
	t.top = f.caller
	if t.top != nil {
		t.top.runs = f.runs
	}
	return t.top
}

// suspended links what the running frame has promoted above it and registers the
// task. *running becomes nil if the task is no longer ours, or the frame to go
// on with if what it waits for has completed meanwhile.
func (t *Task) suspended(running **Frame) {
	if t.last != nil {
		t.last.caller = *running
		settle(t.top, *running)
		t.top.runs = (*running).runs
	} else {
		t.top = *running
	}
	c, top := t.awaiting, t.top
	*running = nil
	if !t.register(c) {
		t.awaiting = nil // what has ended must not be kept alive
		*running = top
	}
}

// register hands the task to what it waits for and returns true, after which the
// caller must not touch it; false: that has completed, go on.
func (t *Task) register(c any) bool {
	switch c := c.(type) {
	case nil:
		t.submit(schedulers.Hint{From: t.leaving(), Flags: schedulers.Resumed | schedulers.PreferFairness})
		return true
	case Pending:
		t.node.PrepareAlone(t)
		return c.Join(&t.node, t.on)
	case awaiter.Registrar:
		if h, ok := c.(job.Handle); ok {
			return t.registerWithJob(c, h)
		}
		t.node.Prepare(t)
		return c.Register(&t.node)
	default:
		return t.registerForeign(c.(awaiter.Completion))
	}
}

// registerWithJob is register for a job, which the task runs itself, if it can.
func (t *Task) registerWithJob(c awaiter.Registrar, h job.Handle) bool {
	if t.on != nil {
		if t.top.runs&^nested >= runsPerTurn {
			job.StartLast(h, t.leaving())
		} else if a, ok := job.TakeAwaited(h, t.on); ok {
			return t.runAwaited(a)
		}
	}
	t.node.Prepare(t)
	return t.enlist(c, job.LookOut(t, h))
}

// runsPerTurn is how many jobs a machine runs itself before it gives way to what is queued on its worker: as many
// works as the pool takes from one queue before it looks at the others.
const runsPerTurn = 61

// nested is added to the runs of a task that runs within those of another one. Its end is not that of its worker's
// current work.
const nested = 1 << 16

// leaving is the worker as it is named where the task ends or suspends, and with it what the task runs in. It is nil
// during a hot start.
func (t *Task) leaving() schedulers.Worker {
	if t.top.runs&nested == 0 {
		if l, ok := t.on.(schedulers.Leaver); ok {
			return l.Leaving()
		}
	}
	return t.on
}

// runAwaited runs the awaited job here, which was claimed for that, and reports whether the task will be told of its
// end. If not, it has ended, and the machine goes on without having been away: no suspension, no resumption, no turn in a queue.
func (t *Task) runAwaited(a job.Awaited) (told bool) {
	t.top.runs++
	t.node.PrepareAttended(t)
	returned := false
	defer func() {
		// A job that calls runtime.Goexit takes the goroutine with it, but not who awaits it.
		if !returned && !a.Leave(&t.node) {
			t.submit(schedulers.Hint{From: t.on, Flags: schedulers.Resumed})
		}
	}()
	a.Run(&t.node, t.on, uint8(t.top.runs))
	returned = true
	return a.Leave(&t.node)
}

// Completed implements continuation.Target.
func (t *Task) Completed(from schedulers.Worker) continuation.Chain {
	t.submit(schedulers.Hint{From: from, Flags: schedulers.Resumed})
	return continuation.Chain{}
}

// submit sends the task home. If home refuses, the task goes on on a goroutine of
// its own, and its await returns the refusal: a function that has started gets the
// chance to run its deferred calls.
func (t *Task) submit(from schedulers.Hint) {
	if err := schedulers.TrySubmit(t.top.home, t, from); err != nil {
		t.refused(err)
	}
}

// Abandon implements schedulers.Work: home has accepted the task and ended since.
func (t *Task) Abandon(reason error) { t.refused(reason) }

func (t *Task) refused(reason error) {
	if t.outcome == nil {
		t.outcome = &outcome{refusal: reason}
	}
	go t.Run(nil)
}

// unwind takes a frame that did not return off the chain. v is what it
// panicked with, or nil if it called runtime.Goexit; then this goroutine is
// ending, and the frames below go on elsewhere.
func (t *Task) unwind(failed *Frame, v any) (again bool) {
	if v == nil && failed.State > 0 { // it goes on at its epilogue
		t.submit(schedulers.Hint{From: t.on, Flags: schedulers.Resumed})
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
		failed.self.(root).fail(t.outcome.err(), t.on)
		return false
	}
	if v == nil {
		t.submit(schedulers.Hint{From: t.on, Flags: schedulers.Resumed})
		return false
	}
	return true
}

// root is the machine at the end of a chain: the one with the job.
type root interface {
	fail(err error, on schedulers.Worker)
	handle() job.Handle
}

// outcome is how a callee ended that did not return, or why a task was sent away.
type outcome struct {
	value   any
	stack   []byte
	async   []job.Frame
	goexit  bool
	refusal error
}

// panicked is the outcome of a panic that was just recovered: with the stack of its
// first raising, if it is one that was raised again.
func (t *Task) panicked(v any) *outcome {
	if t.raised != nil && same(t.raised.value, v) {
		return t.raised
	}
	return t.newPanic(v)
}

// newPanic is the outcome of a panic that was raised first just now.
func (t *Task) newPanic(v any) *outcome {
	return &outcome{value: v, stack: debug.Stack(), async: t.asyncStack()}
}

// same reports whether two panic values are equal; values that can not be compared are
// taken to be different.
func same(a, b any) (equal bool) {
	defer func() { _ = recover() }()
	return a == b
}

// err is the outcome as the error of a job.
func (o *outcome) err() error {
	if o.goexit {
		return job.ErrGoexit
	}
	if p, ok := o.value.(*job.PanicError); ok {
		return p
	}
	return &job.PanicError{Value: o.value, Stack: o.stack, Async: o.async}
}
