package statemachine

import (
	"context"
	"runtime"

	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// # Deferred calls that suspend
//
// Such a function runs in steps. A step is what MoveNext is elsewhere; [Defers.Catch],
// deferred by each, catches its panic and has MoveNext take another step, which begins
// at the function's epilogue. Returning leads there too:
//
//	return n                        f.n = n; goto epilogue
//
//	epilogue:
//		if !f.defers.Next(t, &f.Frame) {      // the calls that do not suspend are made in here
//			f.defers.End(t, &f.Frame)         // raises the panic that is left
//			return true, false
//		}
//		f.State = 2                           // one has suspended
//		return false, false
//	resume2:
//		f.defers.Resumed(t)                   // raises what that one ended with
//		goto epilogue
//
// So a panic of a deferred call, suspended or not, is caught like one of the body,
// replaces the one before it, and the epilogue continues with what is left.
//
// # It isn't that easy: recover
//
// While the epilogue runs, no panic is in flight as far as Go is concerned; a deferred
// literal that suspends could not recover it natively, and after its first suspension
// no stack would tell that it was deferred. Its machine gets a [Panicking] to ask
// instead, one for each call: recover works once, for the literal itself, and not for a
// panic that began later.
//
// # Nor is Goexit
//
// It cannot be delayed: the goroutine ends when the native deferred functions have
// returned. But a chain continues elsewhere when its goroutine ends, and so does a
// frame that was resumed: at its epilogue, on another goroutine, which End makes exit
// in turn. A frame that was called from native code, or from a frame below on the same
// stack, has that stack under it. There it blocks instead of suspending.

// Entry starts a deferred call of a machine. It returns nil if the call has ended. If
// the call has suspended, it returns what must be done after its end.
type Entry func(t *Task, p *Panicking) After

// After raises again what a suspended call ended with, if it did not return.
type After func(t *Task)

// Panicking is the panic during which a deferred call is made, or nil.
type Panicking struct {
	value     any
	recovered bool
}

// Recover is recover() in a deferred literal that is a machine.
func (p *Panicking) Recover() any {
	if p == nil || p.recovered {
		return nil
	}
	p.recovered = true
	return p.value
}

// PushEntry keeps a call that may suspend.
func (d *Defers) PushEntry(enter Entry) {
	d.top = &deferred{below: d.top, enter: enter}
}

// Catch is deferred by each step. A panic sends the function to its epilogue, the state
// of that name; *again tells MoveNext to take another step.
func (d *Defers) Catch(t *Task, f *Frame, epilogue int32, again *bool) {
	if f.State != Running {
		return
	}
	p := t.caught(recover())
	d.handling, d.after = nil, nil
	f.State = epilogue
	if p == nil {
		d.panic, d.exiting = nil, true
		if t.top != f {
			f.State, d.steps = Finished, false
			d.exit(t)
		}
		return
	}
	d.panic = p
	*again = true
}

// Next makes deferred calls up to the first that suspends (true), or all that are left
// (false).
func (d *Defers) Next(t *Task, f *Frame) (suspended bool) {
	d.steps = true
	for d.top != nil {
		enter := d.top.enter
		if enter == nil {
			d.pop(t)
			continue
		}
		d.top = d.top.below
		if d.after = enter(t, d.handle()); d.after != nil {
			t.move(f)
			return true
		}
		d.handled()
	}
	return false
}

// Resumed ends the deferred call that has suspended.
func (d *Defers) Resumed(t *Task) {
	after := d.after
	d.after = nil
	after(t)
	d.handled()
}

// handle begins a deferred call of a machine.
func (d *Defers) handle() *Panicking {
	d.handling = nil
	if p := d.panic; p != nil {
		d.handling = &Panicking{value: p.value}
	}
	return d.handling
}

// handled notes whether the deferred call that has returned did recover.
func (d *Defers) handled() {
	if h := d.handling; h != nil && h.recovered {
		d.panic = nil
	}
	d.handling = nil
}

// End ends the epilogue: it raises the panic that was not recovered, or the Goexit that
// led there.
func (d *Defers) End(t *Task, f *Frame) {
	f.State = Finished
	d.raise(t)
	if d.exiting {
		runtime.Goexit()
	}
}

// Entered is the end of an [Entry] that has called another machine's entry.
func Entered(suspended bool) After {
	if suspended {
		return (*Task).Rethrow
	}
	return nil
}

// DeferTwin is an [Entry] for a function that has a twin and no entry.
func DeferTwin[T any](t *Task, j *job.Job[T]) After {
	if j.IsCompleted() && t.Proceed() {
		_, _ = TwinResult(t, j)
		return nil
	}
	t.Await(j)
	return func(t *Task) { _, _ = TwinResult(t, j) }
}

// DeferAwait is an [Entry] for awaiting a.
func DeferAwait[T any](t *Task, a awaiter.Awaitable[T]) After {
	if a == nil {
		return nil // an error, which is not observable
	}
	w := a.GetAwaiter()
	if w == nil {
		return nil
	}
	if w.IsCompleted() && t.Proceed() {
		_, _ = w.GetResult()
		return nil
	}
	t.Await(w)
	return func(t *Task) { _, _ = Result(t, w) }
}

// DeferYield is an [Entry] for job.Yield.
func DeferYield(t *Task) After {
	t.Yield()
	return dropRefusal
}

// DeferSwitch is an [Entry] for job.SwitchTo.
func DeferSwitch(ctx context.Context, t *Task, s schedulers.Scheduler) After {
	if s == nil || ctx != nil && ctx.Err() != nil {
		return nil
	}
	t.Await(movement{to: s})
	return dropRefusal
}

func dropRefusal(t *Task) { _ = t.Refusal() }

// movement is what a frame awaits while it moves to another scheduler. It is never
// registered.
type movement struct {
	awaiter.Completion
	to schedulers.Scheduler
}

// move moves f to where its deferred call has said.
func (t *Task) move(f *Frame) {
	if m, ok := t.awaiting.(movement); ok {
		t.SwitchTo(f, m.to)
	}
}

// block makes a deferred call while the goroutine exits.
func (d *Defers) block(t *Task, enter Entry) {
	returned := false
	defer func() { d.left(t, recover(), returned) }()
	f := &entryFrame{enter: enter, panicking: d.handle()}
	f.run(t.Worker())
	d.handled()
	returned = true
}

// entryFrame is a function that does nothing but make a deferred call.
type entryFrame struct {
	Frame
	enter     Entry
	panicking *Panicking
	after     After
}

// run runs it to its end, for which it waits on the worker on.
func (f *entryFrame) run(on schedulers.Worker) {
	var t Task
	if f.MoveNext(&t) {
		return
	}
	m := &entryMachine{entryFrame: *f}
	if t.top != nil && m.home == nil {
		m.home = t.top.home // it runs no code of a user's
	}
	ctx := context.Background()
	j := m.Start(ctx, &t, m)
	if on != nil {
		ctx = context.WithValue(ctx, schedulers.WorkerKey, on)
	}
	if _, err := j.Wait(ctx); err != nil {
		raiseJob(err)
	}
}

// MoveNext implements StateMachine.
func (f *entryFrame) MoveNext(t *Task) bool {
	state := f.State
	f.State = Running
	switch state {
	case NotStarted:
		if f.after = f.enter(t, f.panicking); f.after != nil {
			t.move(&f.Frame)
			f.State = 1
			return false
		}
	case 1:
		f.after(t)
	default:
		f.Misuse(state)
	}
	f.State = Finished
	return true
}

type entryMachine struct {
	Builder[job.Void]
	entryFrame
}

// MoveNext implements StateMachine.
func (m *entryMachine) MoveNext(t *Task) bool {
	if !m.entryFrame.MoveNext(t) {
		return false
	}
	m.SetResult(t, job.Void{}, nil)
	return true
}
