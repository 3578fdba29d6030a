package statemachine

// # Deferred calls of a machine
//
// A machine's body is cut into parts that run on different stacks, so a native defer in
// it would run at the first suspension. Its deferred calls are kept in the frame instead
// and run when the function ends: by a return, a panic, or runtime.Goexit.
//
// # The easy part: detecting the end
//
// One native deferred call per MoveNext ([Defers.Leave]) checks the frame's State: above
// zero the function has suspended, Finished means that it returned, and Running that it
// was left by a panic or Goexit; recover distinguishes these two.
//
// # It isn't that easy: recover
//
// recover works only in a function that was itself deferred natively, and only for a
// panic in flight. A loop that calls the kept functions satisfies neither condition. So
// each is kept as a trampoline,
//
//	func(raise func()) { defer handle(x); raise() }
//
// and raise panics with the value in flight: handle is then natively deferred and the
// panic is real. Go itself decides whether handle recovers, replaces the panic, or calls
// a function whose recover has no effect. The value stays the same; the stack of the
// first panic is kept next to it, since raising the panic again begins a new stack.
//
// A function that does not call recover itself cannot tell the difference, so it is
// called while the panic is kept and not in flight.
//
// # And not that easy: deferred calls that suspend
//
// They cannot run inside a native deferred function: see epilogue.go.

// Defers are the deferred calls of one frame that are still to be made. The zero value
// is empty.
type Defers struct {
	top *deferred

	// How the function is ending, once it is.
	panic   *failure
	exiting bool // by Goexit
	steps   bool // Catch is deferred, not Leave

	// The panic for the deferred call that runs and may suspend.
	handling *Panicking
	after    After
}

// deferred is one kept call, linked to the call that was deferred before it. Exactly one
// of the functions is set.
type deferred struct {
	below *deferred
	plain func()
	call  func(raise func()) // the trampoline
	enter Entry
}

// PushPlain keeps a call that neither suspends nor recovers.
func (d *Defers) PushPlain(call func()) {
	d.top = &deferred{below: d.top, plain: call}
}

// Push keeps a call that does not suspend.
func (d *Defers) Push(call func(raise func())) {
	d.top = &deferred{below: d.top, call: call}
}

// Leave is deferred by the MoveNext of a function whose deferred calls do not suspend.
// It makes those calls if the function has ended, and sets *finished if one of them has
// recovered.
func (d *Defers) Leave(r *Run, f *Frame, finished *bool) {
	if f.State > 0 {
		return // suspended
	}
	r.Publish()
	exits := false
	if f.State == Running {
		d.panic = r.takePanic(recover())
		exits = d.panic == nil
	}
	f.State = Finished
	for d.pop(r) {
	}
	*finished = true
	if exits {
		d.raise(r) // returning would not end the Goexit
		return
	}
	d.panic, r.failure = nil, d.panic
}

// pop makes the newest deferred call; false: no call is left.
func (d *Defers) pop(r *Run) bool {
	top := d.top
	if top == nil {
		return false
	}
	d.top = top.below
	switch {
	case top.plain != nil:
		d.runPlain(r, top.plain)
	case top.call != nil:
		d.run(r, top.call)
	default:
		d.block(r, top.enter)
	}
	return true
}

// runPlain makes one call while the panic, if any, is kept.
func (d *Defers) runPlain(r *Run, call func()) {
	returned := false
	defer func() {
		if !returned {
			d.recordEnd(r, recover(), false)
		}
	}()
	call()
	returned = true
}

// run makes one call while the panic, if any, is in flight.
func (d *Defers) run(r *Run, call func(raise func())) {
	p, returned := d.panic, false
	defer func() {
		v := recover()
		d.panic = nil
		d.recordEnd(r, v, returned)
	}()
	if p == nil {
		call(doNothing)
	} else {
		r.raised = p
		growStack()
		call(func() { panic(p.value) })
	}
	returned = true
}

// growStack makes the goroutine's stack large enough for the deferred calls. If a
// deferred function is nil, Go panics between two deferred calls, and if the stack moves
// while that panic is in flight, the runtime ends the process with "fatal error: bad
// panic stack". So the stack has to move before. (A plain program of ten lines shows
// this with Go 1.26.)
//
//go:noinline
func growStack() {
	var block [16 << 10]byte
	use(&block)
}

//go:noinline
func use(block *[16 << 10]byte) { block[0] = 1 }

// recordEnd records that a call has ended: by returning, by a panic v, or by runtime.Goexit.
func (d *Defers) recordEnd(r *Run, v any, returned bool) {
	switch {
	case v != nil:
		d.recordPanic(r, v)
	case !returned && d.steps:
		d.panic, d.exiting = nil, true // Catch is next
	case !returned:
		d.exit(r)
	}
}

// doNothing is raise for a function that ends without a panic.
func doNothing() {}

// exit makes the remaining calls while the goroutine exits: a Goexit ends the panic in
// flight, but a later panic replaces the Goexit.
func (d *Defers) exit(r *Run) {
	d.panic, d.exiting = nil, true
	for d.pop(r) {
	}
	d.raise(r)
}

// recordPanic records a panic.
func (d *Defers) recordPanic(r *Run, v any) {
	if v != nil {
		d.panic = r.failureOf(v)
	}
}

// raise raises the panic, if any.
func (d *Defers) raise(r *Run) {
	if p := d.panic; p != nil {
		d.panic = nil
		r.raise(p)
	}
}
