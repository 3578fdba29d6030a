package statemachine

import (
	"context"

	"github.com/movenext/movenext/internal/panics"
)

// # Ranging over a function whose loop suspends
//
// In plain Go a range over a function is a call: the loop's body is a function literal
// that the iterator calls, on one stack. A machine cannot keep a stack while it is
// suspended. So the two swap roles: the loop calls the iterator, which is a frame too.
// The iterator "returns" for each value, and is called again for the next:
//
//	loop's frame            iterator's frame
//	Next ───────MoveNext──▶ runs to its yield
//	     ◀──────true─────── State: at the yield      there is a value
//	     ◀──────true─────── Finished                 there is none
//	     ◀──────false────── suspended                the loop's frame suspends too, as the caller
//
// Passing a value needs no job, no allocation and no handoff, and a panic of the
// iterator surfaces in the loop, like the panic of a call. Iterators that are plain
// functions run on separate goroutines behind the same interface; see iterator.go.
//
// # It isn't that easy: leaving the loop
//
// A break makes yield return false, and the iterator runs to its end, deferred calls
// included, before the statement after the loop: [Loop.Stop] is a suspension point, as
// Next is. The same holds for a return, whose results are evaluated before that, and for
// each loop that a goto or a labelled branch leaves, innermost first.
//
// # And not that easy: panics
//
// In plain Go a panic of the loop's body passes through the iterator's functions on the
// stack, whose deferred calls may see it. Here the panic has to be carried there:
// MoveNext of a frame with such loops defers [Loops.Leave]. Leave raises the panic in
// each iterator at its current yield, and continues with the panic that leaves the
// iterator. If an iterator suspends meanwhile, so does the frame, in a dedicated state;
// when it is resumed there, it raises that panic ([Loops.Resume]), which brings it back
// to Leave with one loop less. runtime.Goexit is carried the same way, but cannot be
// delayed: an iterator that then suspends runs to its end by itself.

// Iteration is a frame that runs to its next value. Frames of streams are, by embedding
// [Producer].
type Iteration[K, V any] interface {
	framed
	current() (K, V)
	order() *order
}

// order is the loop's instruction to the iterator for its next step.
type order struct {
	stopped bool     // yield returns false
	failure *failure // yield raises this
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
// has suspended: then the loop's frame must suspend too. [Loop.More] reports the
// outcome. Next also returns false for an iterator that must continue at another home
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

// More reports, after Next or a resumption, whether there is a value. It raises a panic
// of the iterator again.
func (l *Loop[K, V]) More(r *Run) bool {
	r.Rethrow()
	if l.iteration.base().State == Finished {
		return false
	}
	l.key, l.value = l.iteration.current()
	return true
}

// Key returns the value of the loop's first variable in this iteration.
func (l *Loop[K, V]) Key() K { return l.key }

// Value returns the value of the loop's second variable in this iteration.
func (l *Loop[K, V]) Value() V { return l.value }

// Stop ends the iterator, which is in a yield. Like Next, it returns false if the
// iterator has suspended. [Loop.Stopped] is called afterwards.
func (l *Loop[K, V]) Stop(r *Run) bool {
	l.iteration.order().stopped = true
	return l.Next(r)
}

// Stopped raises the panic of the iterator again, if it panicked while it was stopped.
func (l *Loop[K, V]) Stopped(r *Run) { r.Rethrow() }

// Loops are the loops that a frame is in, the innermost on top. The zero value is
// empty.
type Loops struct {
	top     openLoop
	raising *failure // the panic that was raised in an iterator that has suspended
}

// openLoop is a Loop without its types.
type openLoop interface {
	// enter records the loop that was on top before.
	enter(outer openLoop)
	// leave returns the loop that enter recorded.
	leave() openLoop
	// abort raises how in the iterator and returns the failure with which the iterator
	// ends, unless it suspends.
	abort(r *Run, how *failure) (left *failure, suspended bool)
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
// functions. If the function was left by a panic or by runtime.Goexit, Leave passes that
// through the iterators; the frame's caller raises the result (failure.go). If one of
// them suspends, the frame is suspended at state, and *finished is false.
func (l *Loops) Leave(r *Run, f *Frame, state int32, finished *bool) {
	if l.top == nil || f.State != Running {
		return
	}
	r.Publish()
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
	how := r.failureOf(v)
	for l.top != nil {
		left, suspended := l.top.abort(r, how)
		if suspended {
			exiting = false
			l.raising = how
			f.State, *finished = state, false
			return
		}
		l.Close()
		how = left
	}
	exiting = false
	*finished, r.failure = true, how
}

// Resume continues with a panic in whose course an iterator has suspended. It does not return.
func (l *Loops) Resume(r *Run) {
	raised, came := l.raising, r.failure
	l.raising, r.failure = nil, nil
	l.Close()
	switch {
	case came == nil || came.refusal != nil:
		raised = r.newPanic(swallowedPanic())
	case came.goexit || !panics.Same(came.value, raised.value):
		raised = came
	default:
		raised.value = came.value
	}
	r.raise(raised)
}

// exit passes runtime.Goexit through the iterators. The rest after the first iterator is
// deferred, since that iterator exits too.
func (l *Loops) exit(r *Run) {
	if l.top == nil {
		return
	}
	loop := l.top
	l.Close()
	defer l.exit(r)
	loop.exit(r)
}

func (l *Loop[K, V]) abort(r *Run, how *failure) (left *failure, suspended bool) {
	if l.iteration.base().State <= 0 {
		return how, false // it is not at a yield: the panic is its own
	}
	l.iteration.order().failure = how
	defer func() {
		if v := recover(); v != nil {
			if !panics.Same(how.value, v) {
				left = r.newPanic(v)
				return
			}
			how.value = v
			left = how
		}
	}()
	if !l.Next(r) {
		return nil, true
	}
	if f := r.failure; f != nil {
		r.failure = nil
		return f, false
	}
	return r.newPanic(swallowedPanic()), false
}

func (l *Loop[K, V]) exit(r *Run) {
	f := l.iteration.base()
	if f.State <= 0 {
		return
	}
	l.iteration.order().failure = &failure{goexit: true}
	if v := onNewGoroutine(func() { begin(l.iteration, r.elsewhere(f)) }); v != nil {
		panic(v)
	}
}

// onNewGoroutine runs f, which exits, on a new goroutine, and returns the value if f panics
// instead. On the goroutine that is already exiting, each iterator's runtime.Goexit
// would be nested in the previous one, and the runtime walks over all of them.
func onNewGoroutine(f func()) any {
	ended := make(chan any, 1)
	go func() {
		defer func() { ended <- recover() }()
		f()
	}()
	return <-ended
}
