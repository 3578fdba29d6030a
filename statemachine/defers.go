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

// take records how the function, or the last deferred call, has ended.
func (d *Defers) take(p *failure) {
	d.panic = nil
	if p == nil {
		return
	}
	if p.value != nil {
		d.panic = p
	}
	if p.goexit {
		d.exiting = true
	}
}

// end returns how the function ends, when no call is left; nil: it returns.
func (d *Defers) end() *failure {
	p := d.panic
	d.panic = nil
	if d.exiting {
		return p.exiting()
	}
	return p
}

// Leave is deferred by the MoveNext of a function whose deferred calls do not suspend.
// It makes those calls if the function has ended, and sets *finished if one of them has
// recovered. If the goroutine exits, the function's caller does not get control.
func (d *Defers) Leave(r *Run, f *Frame, finished *bool) {
	if f.State > 0 {
		return // suspended
	}
	r.Publish()
	if f.State == Running {
		d.take(r.ended(recover()))
	}
	*finished = true
	d.finish(r, f)
}

// finish makes all calls, and keeps the end of the function in the Run.
func (d *Defers) finish(r *Run, f *Frame) {
	f.State = Finished
	if d.top != nil {
		d.makeAll(r)
	}
	r.failure = d.end()
}

// makeAll makes all calls.
func (d *Defers) makeAll(r *Run) {
	returned := false
	defer func() {
		if !returned { // a call exits, and the others are still to be made
			d.take(r.exited())
			d.makeAll(r)
			r.failure = d.end()
		}
	}()
	for d.top != nil {
		d.pop(r)
	}
	returned = true
}

// pop makes the newest deferred call. It does not return if that exits; the panic that began
// meanwhile, if any, is then kept in the Run.
func (d *Defers) pop(r *Run) {
	top := d.top
	d.top = top.below
	var returned bool
	switch {
	case top.plain != nil:
		returned = runPlain(r, top.plain)
	case top.call != nil:
		p := d.panic
		d.panic = nil
		returned = run(r, p, top.call)
	default:
		returned = d.block(r, top.enter)
	}
	if !returned {
		d.take(r.takeKept())
	}
}

// runPlain makes one call while the panic, if any, is kept. It returns false after a panic, which
// is kept.
func runPlain(r *Run, call func()) (returned bool) {
	defer func() {
		if !returned {
			r.keepPanic(recover())
		}
	}()
	call()
	return true
}

// run makes one call while the panic p is in flight, unless that is nil. It returns false if
// there is a panic after the call, which is kept.
func run(r *Run, p *failure, call func(raise func())) (returned bool) {
	defer func() {
		if !returned {
			r.keepPanic(recover())
		}
	}()
	if p == nil {
		call(doNothing)
		return true
	}
	r.raised = p
	growStack()
	call(func() { panic(p.value) })
	r.raised = nil
	return true
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

// doNothing is raise for a function that ends without a panic.
func doNothing() {}
