package statemachine

// # Deferred calls of a machine
//
// A machine's body is cut into parts that run on different stacks, so a native defer
// statement in it would run at the first suspension. Its deferred calls are kept in the
// frame instead and run when the function ends: by a return, a panic, or runtime.Goexit.
//
// # The easy part: which end is it
//
// One native deferred call a MoveNext ([Defers.Unwind]) looks at the frame's State:
// above zero it has suspended, Finished says return, Running that it was left by a panic or
// Goexit; recover tells those two apart.
//
// # It isn't that easy: recover
//
// recover works only in a function that was itself deferred, natively, and only for a
// panic that is going on. A loop that calls the kept functions satisfies neither. So each is
// kept as a trampoline,
//
//	func(raise func()) { defer handle(x); raise() }
//
// and called while raise panics with the value that is on its way: handle is then
// natively deferred and the panic is real. Whether handle recovers, replaces the panic, or calls
// something that recovers in vain, is decided by Go itself. The value stays the same; the
// stack of the first panic is kept beside, since raising it again begins a new one.
//
// # And not that easy: deferred calls that suspend
//
// They can not run inside of a native deferred function. For functions that have
// such, MoveNext runs its part in a step that catches the panic ([Defers.Catch]) and goes to
// the epilogue: a part like any other, a loop over [Defers.Next] that calls what does
// not suspend and yields the number of what does. A deferred literal that suspends is a machine
// of its own, and its recover is [Defers.Recover]. Goexit can not be held up, so
// during it what would suspend blocks.

// Defers are the deferred calls of one frame that are still to be made. The zero value is
// empty.
type Defers struct {
	top *deferred

	// How the function is ending, once it is.
	panic   *outcome
	exiting bool // by Goexit: what panics now is nobody's to catch here
}

// deferred is one kept call, above those that were deferred before it.
type deferred struct {
	below *deferred
	call  func(raise func()) // the trampoline; for a call that suspends, its blocking form
	point int32              // 0, or the number of a call that suspends
	args  any                // its arguments, evaluated at the defer statement
}

// Push keeps a call that does not suspend.
func (d *Defers) Push(call func(raise func())) {
	d.top = &deferred{below: d.top, call: call}
}

// PushPoint keeps a call that suspends: its number in the epilogue, its arguments, and its
// plain form, for the case that the goroutine exits.
func (d *Defers) PushPoint(point int32, args any, call func(raise func())) {
	d.top = &deferred{below: d.top, call: call, point: point, args: args}
}

// Unwind is deferred by the MoveNext of a function whose deferred calls do not suspend. It makes them if the
// function has ended, and sets *finished if one of them has recovered.
func (d *Defers) Unwind(t *Task, f *Frame, finished *bool) {
	if f.State > 0 {
		return // suspended
	}
	if f.State == Running {
		d.note(t, recover())
	}
	f.State = Finished
	for d.pop(t) {
	}
	d.raise(t)
	*finished = true
}

// Catch is deferred by each step of a function with deferred calls that suspend. A panic sends the function
// to its epilogue; *again tells MoveNext to take another step.
func (d *Defers) Catch(t *Task, f *Frame, epilogue int32, again *bool) {
	if f.State != Running || d.exiting {
		return
	}
	v := recover()
	if v == nil {
		f.State = Finished
		d.exit(t)
		return
	}
	d.note(t, v)
	f.State = epilogue
	*again = true
}

// Next makes deferred calls up to the first that suspends, and returns its number and
// arguments, or 0 if none is left.
func (d *Defers) Next(t *Task) (point int32, args any) {
	for d.top != nil && d.top.point == 0 {
		d.pop(t)
	}
	if d.top == nil {
		return 0, nil
	}
	point, args = d.top.point, d.top.args
	d.top = d.top.below
	return point, args
}

// Recover is recover() in a deferred literal that suspends.
func (d *Defers) Recover() any {
	p := d.panic
	if p == nil {
		return nil
	}
	d.panic = nil
	return p.value
}

// End ends the epilogue: it raises the panic that nobody has recovered.
func (d *Defers) End(t *Task, f *Frame) {
	f.State = Finished
	d.raise(t)
}

// pop makes the newest deferred call; false: there is none.
func (d *Defers) pop(t *Task) bool {
	top := d.top
	if top == nil {
		return false
	}
	d.top = top.below
	d.run(t, top.call)
	return true
}

// run makes one call while the panic, if there is one, is on its way.
func (d *Defers) run(t *Task, call func(raise func())) {
	p, returned := d.panic, false
	defer func() {
		v := recover()
		if v != nil {
			d.note(t, v)
			return
		}
		d.panic = nil
		if !returned {
			d.exit(t)
		}
	}()
	if p == nil {
		call(quiet)
	} else {
		t.raised = p
		call(func() { panic(p.value) })
	}
	returned = true
}

// quiet is the raise of a function that ends without a panic.
func quiet() {}

// exit makes the calls that are left while the goroutine exits: a Goexit ends the
// panic that was on its way, but a later one surfaces out of it.
func (d *Defers) exit(t *Task) {
	d.panic, d.exiting = nil, true
	for d.pop(t) {
	}
	d.raise(t)
}

// note remembers a panic.
func (d *Defers) note(t *Task, v any) {
	if v != nil {
		d.panic = t.panicked(v)
	}
}

// raise goes on with the panic, if there is one.
func (d *Defers) raise(t *Task) {
	if p := d.panic; p != nil {
		d.panic = nil
		t.raise(p)
	}
}
