package statemachine

import (
	"context"

	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// # Deferred calls that suspend
//
// A function with such calls runs in steps. A step corresponds to MoveNext of other
// functions; each defers [Defers.Catch], which catches its panic and makes MoveNext take
// another step, which begins at the function's epilogue. Returning leads there too:
//
//	return n                        f.n = n; goto epilogue
//
//	epilogue:
//		if !f.defers.Next(r, &f.Frame) {      // the calls that do not suspend are made in here
//			f.defers.End(r, &f.Frame)         // raises the panic that is left
//			return true, false
//		}
//		f.State = 2                           // one has suspended
//		return false, false
//	resume2:
//		f.defers.Resumed(r)                   // raises what that one ended with
//		goto epilogue
//
// So a panic of a deferred call, suspended or not, is caught like one of the body and
// replaces the previous one, and the epilogue continues with the remaining calls.
//
// # It isn't that easy: recover
//
// While the epilogue runs, no panic is in flight as far as Go is concerned; a deferred
// literal that suspends could not recover it natively, and after its first suspension no
// stack would show that it was deferred. Instead, each call gets a [Panicking] for its
// machine: recover works once, in the literal itself, and not for a panic that began later.
//
// # Goexit is not easy either
//
// It cannot be delayed: the goroutine ends when the native deferred functions have
// returned. But a chain continues elsewhere when its goroutine ends, and so does a frame
// that was resumed: it continues at its epilogue, on another goroutine, and End then makes
// that goroutine exit too. A frame that was called from native code, or from a frame below
// on the same stack, cannot leave that stack. It blocks instead of suspending.

// Entry starts a deferred call of a machine. It returns nil if the call has ended. If
// the call has suspended, it returns the function to call after its end.
type Entry func(r *Run, p *Panicking) After

// After raises again the panic or Goexit that a suspended call ended with, if it did not
// return.
type After func(r *Run)

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
// of that name; *again makes MoveNext take another step.
func (d *Defers) Catch(r *Run, f *Frame, epilogue int32, again *bool) {
	if f.State != Running {
		return
	}
	r.Publish()
	p := r.ended(recover())
	d.take(p)
	d.handling, d.after = nil, nil
	f.State = epilogue
	if p.goexit {
		d.exit(r, f)
		return
	}
	*again = true
}

// Exit is deferred by a MoveNext that takes steps, as those of functions with deferred calls or
// loops that may suspend do. If the last step has not returned, although it has recovered a
// panic, the goroutine exits; see failure.go. The deferred calls are then made here, or elsewhere
// if the frame was resumed. epilogue is 0 for a function whose deferred calls do not suspend.
func (d *Defers) Exit(r *Run, f *Frame, epilogue int32, returned *bool) {
	switch {
	case *returned || r.exiting: // the frame continues elsewhere as if it had suspended
	case f.State == Running: // Loops.Exit has ended the loops
		d.take(r.exited())
		d.finish(r, f)
	case f.State == epilogue:
		d.exit(r, f)
	}
}

// exit makes the calls that are left while the goroutine exits. A frame that was resumed makes
// them elsewhere, in its epilogue.
func (d *Defers) exit(r *Run, f *Frame) {
	d.exiting = true
	if r.top != f {
		d.finish(r, f)
	}
}

// Next makes deferred calls up to the first that suspends (true), or all that are left
// (false).
func (d *Defers) Next(r *Run, f *Frame) (suspended bool) {
	r.failure = nil // the home may have refused the frame, which can only be reported at an await
	for d.top != nil {
		enter := d.top.enter
		if enter == nil {
			d.pop(r)
			continue
		}
		d.top = d.top.below
		if d.after = enter(r, d.handle()); d.after != nil {
			return true
		}
		d.endHandling()
	}
	return false
}

// Resumed ends the deferred call that has suspended.
func (d *Defers) Resumed(r *Run) {
	after := d.after
	d.after = nil
	after(r)
	d.endHandling()
}

// handle begins a deferred call of a machine.
func (d *Defers) handle() *Panicking {
	d.handling = nil
	if p := d.panic; p != nil {
		d.handling = &Panicking{value: p.value}
	}
	return d.handling
}

// endHandling records whether the deferred call that has returned did recover.
func (d *Defers) endHandling() {
	if h := d.handling; h != nil && h.recovered {
		d.panic = nil
	}
	d.handling = nil
}

// End ends the epilogue: it raises the panic that was not recovered, or the Goexit that
// led there.
func (d *Defers) End(r *Run, f *Frame) {
	f.State = Finished
	if p := d.end(); p != nil {
		r.raise(p)
	}
}

// Entered returns the After of an [Entry] that has called another machine's entry.
func Entered(suspended bool) After {
	if suspended {
		return (*Run).Rethrow
	}
	return nil
}

// DeferTwin is an [Entry] for a function that has a twin and no entry.
func DeferTwin[T any](r *Run, j *job.Job[T]) After {
	if j.IsCompleted() && r.Proceed() {
		_, _ = TwinResult(r, j)
		return nil
	}
	r.Await(j)
	return func(r *Run) { _, _ = TwinResult(r, j) }
}

// DeferAwait is an [Entry] for awaiting a.
func DeferAwait[T any](r *Run, a awaiter.Awaitable[T]) After {
	if a == nil {
		return nil // its error, which is not observable
	}
	w := a.GetAwaiter()
	if w == nil {
		return nil
	}
	if w.IsCompleted() && r.Proceed() {
		_, _ = w.GetResult()
		return nil
	}
	r.Await(w)
	return func(r *Run) { _, _ = Result(r, w) }
}

// DeferYield is an [Entry] for job.Yield.
func DeferYield(r *Run) After {
	r.Yield()
	return dropRefusal
}

// DeferSwitch is an [Entry] for job.SwitchTo.
func DeferSwitch(ctx context.Context, r *Run, s schedulers.Scheduler) After {
	if s == nil || ctx != nil && ctx.Err() != nil {
		return nil
	}
	r.SwitchTo(ctx, s)
	return dropRefusal
}

func dropRefusal(r *Run) { _ = r.Refusal() }

// block makes a deferred call while the goroutine exits. It returns false after a panic, which is
// kept.
func (d *Defers) block(r *Run, enter Entry) (returned bool) {
	defer func() {
		d.handling = nil
		if !returned {
			r.keepPanic(recover())
		}
	}()
	f := &entryFrame{enter: enter, panicking: d.handle()}
	f.run(r.Worker())
	d.endHandling()
	return true
}

// entryFrame is a function that only makes a deferred call.
type entryFrame struct {
	Frame
	enter     Entry
	panicking *Panicking
	after     After
}

// run runs the frame to its end, and waits for that on worker.
func (f *entryFrame) run(worker schedulers.Worker) {
	var r Run
	if r.enter(f) {
		return
	}
	m := &entryMachine{entryFrame: *f}
	if r.top != nil && m.home == nil {
		m.home = r.top.home // it runs no user code
	}
	m.Chain.Start(&m.Promise.Job, context.Background(), &r, m, &m.Frame)
	finish(&m.Promise.Job, worker)
}

// MoveNext implements StateMachine.
func (f *entryFrame) MoveNext(r *Run) bool {
	state := f.State
	f.State = Running
	switch state {
	case NotStarted:
		if f.after = f.enter(r, f.panicking); f.after != nil {
			f.State = 1
			return false
		}
	case 1:
		f.after(r)
	default:
		Misuse(state)
	}
	f.State = Finished
	return true
}

type entryMachine struct {
	Builder[job.Void]
	entryFrame
}

// Root implements rootMachine.
func (m *entryMachine) Root() (Root, Location) { return m.Chain.Root(&m.Promise.Job), Location{} }

// MoveNext implements StateMachine.
func (m *entryMachine) MoveNext(r *Run) bool {
	if !m.entryFrame.MoveNext(r) {
		return false
	}
	m.SetResult(r, job.Void{}, nil)
	return true
}
