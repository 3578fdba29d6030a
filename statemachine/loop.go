package statemachine

import (
	"context"

	"github.com/movenext/movenext/internal/panics"
)

// # Ranging over a function whose loop suspends
//
// In plain Go a range over a function is a call: the loop's body is a function literal
// that the iterator calls, on one stack. A machine has no stack to keep while it is
// suspended. So the two change places: the loop calls the iterator, which is a frame
// too. It "returns" for each value, and is called again for the next:
//
//	loop's frame            iterator's frame
//	Next ───────MoveNext──▶ runs to its yield
//	     ◀──────true─────── State: at the yield      there is a value
//	     ◀──────true─────── Finished                 there is none
//	     ◀──────false────── suspended                the loop's frame suspends too, as the caller
//
// No job, no allocation and no handoff lie between a value and its use, and a panic of
// the iterator surfaces in the loop, as that of a call would. Iterators that are plain
// functions run on a goroutine of their own behind the same interface; see iterator.go.
//
// # It isn't that easy: leaving the loop
//
// A break makes yield return false, and the iterator runs to its end, deferred calls
// included, before the statement after the loop: [Loop.Stop] is a suspension point, as
// Next is. The same holds for a return, whose results are evaluated before, and for
// each loop that a goto or a labelled branch leaves, innermost first.
//
// # And not that easy: panics
//
// In plain Go a panic of the loop's body passes through the iterator's functions on the
// stack, whose deferred calls may see it. Here it has to be carried there: MoveNext of
// a frame with such loops defers [Loops.Leave]. Leave raises the panic in each iterator
// at its current yield, and continues with what comes out. If an iterator suspends
// meanwhile, so does the frame, in a state of its own; resumed there, it raises what
// came out ([Loops.Resume]), which brings it back to Leave with one loop less.
// runtime.Goexit is carried the same way, but cannot be delayed: an iterator that
// suspends then comes to its end by itself.

// Iteration is a frame that runs to its next value. Frames of streams are, by embedding
// [Producer].
type Iteration[K, V any] interface {
	framed
	current() (K, V)
	order() *order
}

// order is what the loop wants of the iterator that it calls next.
type order struct {
	stopped bool     // yield returns false
	failure *outcome // yield raises this
	failed  bool     // it has done so
}

// Loop is one range over a stream or a function, while it is active. Generated frames
// keep one for each such statement.
type Loop[K, V any] struct {
	iteration Iteration[K, V]
	key       K
	value     V
	outer     openLoop
}

// Next runs the iterator to its next value or its end. It returns false if the iterator
// has suspended: the loop's frame must do the same then. [Loop.More] tells what has
// happened. It also returns false for an iterator that must continue at another home
// than the loop's.
func (l *Loop[K, V]) Next(r *Run) bool {
	if r.elsewhere(l.iteration.base()) {
		r.Yield()
	} else if l.iteration.MoveNext(r) {
		return true
	}
	r.Push(context.Background(), l.iteration) // it has its home already, or gets its caller's
	return false
}

// More reports whether there is a value, after Next or a resume. It raises a panic of
// the iterator again.
func (l *Loop[K, V]) More(r *Run) bool {
	r.Rethrow()
	if l.iteration.base().State == Finished {
		return false
	}
	l.key, l.value = l.iteration.current()
	return true
}

// Key is the first variable's value in this round.
func (l *Loop[K, V]) Key() K { return l.key }

// Value is the second variable's value in this round.
func (l *Loop[K, V]) Value() V { return l.value }

// Stop ends the iterator, which is in a yield. It returns false if the iterator has
// suspended, as Next does; afterwards comes [Loop.Stopped].
func (l *Loop[K, V]) Stop(r *Run) bool {
	l.iteration.order().stopped = true
	return l.Next(r)
}

// Stopped raises again what the iterator has panicked with while it was stopped.
func (l *Loop[K, V]) Stopped(r *Run) { r.Rethrow() }

// Loops are the loops that a frame is in, the innermost on top. The zero value is
// empty.
type Loops struct {
	top     openLoop
	raising *outcome // what an iterator has suspended for
}

// openLoop is a Loop without its types.
type openLoop interface {
	// enter notes what was on top before.
	enter(outer openLoop)
	// leave returns that.
	leave() openLoop
	// abort raises o in the iterator and returns what comes out of it, unless that
	// suspends.
	abort(r *Run, o *outcome) (left *outcome, suspended bool)
	// exit lets the iterator exit.
	exit(r *Run)
}

func (l *Loop[K, V]) enter(outer openLoop) { l.outer = outer }
func (l *Loop[K, V]) leave() openLoop      { return l.outer }

// Open begins a loop.
func (l *Loops) Open(loop openLoop) {
	loop.enter(l.top)
	l.top = loop
}

// Close ends the innermost loop.
func (l *Loops) Close() { l.top = l.top.leave() }

// Leave is deferred by the MoveNext of a function that has loops over streams or
// functions. If the function was left by a panic or by runtime.Goexit, it passes that
// through the iterators; the frame's caller raises what comes out (outcome.go). If one
// of them suspends, the frame is suspended at state, and *finished false.
func (l *Loops) Leave(r *Run, f *Frame, state int32, finished *bool) {
	if l.top == nil || f.State != Running {
		return
	}
	v := recover()
	if v == nil {
		l.exit(r)
		return
	}
	exiting := true // if an iterator calls runtime.Goexit now
	defer func() {
		if exiting {
			l.exit(r)
		}
	}()
	o := r.panicked(v)
	for l.top != nil {
		left, suspended := l.top.abort(r, o)
		if suspended {
			exiting = false
			l.raising = o
			f.State, *finished = state, false
			return
		}
		l.Close()
		o = left
	}
	exiting = false
	*finished, r.outcome = true, o
}

// Resume continues with a panic for which an iterator has suspended. It does not
// return.
func (l *Loops) Resume(r *Run) {
	raised, came := l.raising, r.outcome
	l.raising, r.outcome = nil, nil
	l.Close()
	switch {
	case came == nil || came.refusal != nil:
		raised = r.newPanic(swallowed())
	case came.goexit || !panics.Same(came.value, raised.value):
		raised = came
	default:
		raised.value = came.value
	}
	r.raise(raised)
}

// exit passes runtime.Goexit through the iterators. What comes after the first of them
// is deferred, since that one exits as well.
func (l *Loops) exit(r *Run) {
	if l.top == nil {
		return
	}
	loop := l.top
	l.Close()
	defer l.exit(r)
	loop.exit(r)
}

func (l *Loop[K, V]) abort(r *Run, o *outcome) (left *outcome, suspended bool) {
	if l.iteration.base().State <= 0 {
		return o, false // it does not stand at a yield: the panic is its own
	}
	l.iteration.order().failure = o
	defer func() {
		if v := recover(); v != nil {
			if left = o; panics.Same(o.value, v) {
				o.value = v
			} else {
				left = r.newPanic(v)
			}
		}
	}()
	if !l.Next(r) {
		return nil, true
	}
	if left = r.outcome; left != nil {
		r.outcome = nil
		return left, false
	}
	return r.newPanic(swallowed()), false
}

func (l *Loop[K, V]) exit(r *Run) {
	f := l.iteration.base()
	if f.State <= 0 {
		return
	}
	l.iteration.order().failure = &outcome{goexit: true}
	if v := apart(func() { begin(l.iteration, r.elsewhere(f)) }); v != nil {
		panic(v)
	}
}

// apart runs f, which exits, on a goroutine of its own, and returns the value if f
// panics instead. On the goroutine that exits already, each iterator's runtime.Goexit
// would lie on top of the one before it, and the runtime walks over all of them.
func apart(f func()) any {
	ended := make(chan any, 1)
	go func() {
		defer func() { ended <- recover() }()
		f()
	}()
	return <-ended
}
