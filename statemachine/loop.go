package statemachine

import (
	"context"

	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/internal/panics"
	"github.com/movenext/movenext/internal/pullcontext"
	"github.com/movenext/movenext/job"
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
// to Leave with one loop less. runtime.Goexit is carried the same way, with the panic that began
// during it, if any. It cannot be delayed, so the goroutine waits for an iterator that then
// suspends.

// Iteration is a frame that runs to its next value. Frames of streams are, by embedding
// [Producer].
type Iteration[K, V any] interface {
	iteration
	current() (K, V)
	order() *order
	runsIn(pulled *pullcontext.Context)
}

// iteration is the part of an [Iteration] without its types.
type iteration interface {
	StateMachine
	base() *Frame
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
	pulled    *pullcontext.Context // of the iterator, if the loop's machine is pulled; or nil
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
	r.Push(context.Background(), l.iteration, l.iteration.base()) // it has its home already, or gets its caller's
	return false
}

// More reports, after Next or a resumption, whether there is a value. It raises a panic
// of the iterator again.
func (l *Loop[K, V]) More(r *Run) bool {
	r.Rethrow()
	if l.iteration.base().State == Finished {
		l.over()
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
func (l *Loop[K, V]) Stopped(r *Run) {
	l.over()
	r.Rethrow()
}

// over ends the iterator's part in a pull.
func (l *Loop[K, V]) over() {
	if l.pulled != nil {
		l.pulled.Over()
	}
}

// Loops are the loops that a frame is in, the innermost on top. The zero value is
// empty.
type Loops struct {
	top     openLoop
	raising *raising // the panic that was raised in an iterator that has suspended
}

// raising is a panic on its way through an iterator that has suspended.
type raising struct {
	how       *failure
	swallowed bool // the iterator has ended instead, and the frame only waits for control to return
	resumed   bool // the frame was resumed, and can continue elsewhere
}

// openLoop is a Loop without its types.
type openLoop interface {
	// enter records the loop that was on top before.
	enter(outer openLoop)
	// leave returns the loop that enter recorded.
	leave() openLoop
	// abort raises how in the iterator. If that ends, the failure with which it ends is kept in
	// the Run.
	abort(r *Run, how *failure) aborted
	// exit ends the iterator while the goroutine exits, and returns the failure that is left.
	exit(r *Run, how *failure) (left *failure)
	// wait returns when the iterator, which has suspended in abort, has ended.
	wait(r *Run, how *failure) (left *failure)
}

// aborted is the outcome of abort.
type aborted int

const (
	abortEnded     aborted = iota
	abortSuspended         // the iterator will end
	abortSwallowed         // it has returned, which is an error unless the goroutine exits
)

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
	if v := recover(); v != nil {
		*finished = l.pass(r, f, r.ended(v), state)
		return
	}
	r.failure = l.exit(r, r.exited())
}

// pass passes a panic through the iterators, keeps what is left in the Run, and returns true. If
// one of them suspends, so does the frame. It does the same if one has recovered the panic and
// returned: that is an error, unless the goroutine exits, and then the frame does not continue.
func (l *Loops) pass(r *Run, f *Frame, how *failure, state int32) (finished bool) {
	resumed, returned := r.top == f, false
	defer func() {
		if !returned { // the iterator exits
			l.Close()
			r.failure = l.exit(r, r.exited())
		}
	}()
	for l.top != nil {
		outcome := l.top.abort(r, how)
		if outcome != abortEnded {
			if outcome == abortSwallowed {
				r.Yield()
			}
			l.raising = &raising{how, outcome == abortSwallowed, resumed}
			f.State = state
			returned = true
			return false
		}
		l.Close()
		how = r.takeKept()
	}
	r.failure = how
	returned = true
	return true
}

// Exit is deferred by the MoveNext of a function that has loops, around the part that defers
// Leave. If that part has not returned, although it has suspended in the course of a panic, the
// goroutine exits; see failure.go. The loops then end here, or elsewhere if the frame was resumed.
func (l *Loops) Exit(r *Run, f *Frame, returned *bool) {
	p := l.raising
	if *returned || p == nil {
		return
	}
	p.how = p.how.exiting()
	if p.resumed {
		return
	}
	left := exit
	if !p.swallowed {
		left = l.top.wait(r, p.how)
	}
	l.raising = nil
	l.Close()
	r.failure = l.exit(r, left)
	f.State = Running
}

// Resume continues with a panic in whose course an iterator has suspended. It does not return.
func (l *Loops) Resume(r *Run) {
	raised, came := l.raising.how, r.failure
	l.raising, r.failure = nil, nil
	l.Close()
	exits := raised.goexit
	switch {
	case came != nil && came.refusal == nil:
		raised = raised.leaving(came)
	case exits:
		raised = exit
	default:
		raised = r.newPanic(swallowedPanic())
	}
	if exits {
		raised = raised.exiting()
	}
	r.raise(raised)
}

// leaving returns the failure that is left of f, which was raised in an iterator, if the iterator
// has ended with came. The same panic keeps its stack.
func (f *failure) leaving(came *failure) *failure {
	if came.value == nil || !panics.Same(came.value, f.value) {
		return came
	}
	same := *f
	same.value, same.goexit = came.value, f.goexit || came.goexit
	return &same
}

// exit passes runtime.Goexit, and the panic that began during it, through the iterators. It
// returns the failure that is left.
func (l *Loops) exit(r *Run, how *failure) *failure {
	for l.top != nil {
		loop := l.top
		l.Close()
		how = loop.exit(r, how)
	}
	return how
}

func (l *Loop[K, V]) abort(r *Run, how *failure) (outcome aborted) {
	if l.iteration.base().State <= 0 {
		r.failure = how // it is not at a yield: the panic is its own
		return abortEnded
	}
	l.iteration.order().failure = how
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			r.raised = nil
			r.failure = how.leaving(r.newPanic(v))
		}
	}()
	finished := l.Next(r)
	returned = true
	switch {
	case !finished:
		return abortSuspended
	case r.failure == nil:
		return abortSwallowed
	}
	return abortEnded
}

func (l *Loop[K, V]) exit(r *Run, how *failure) *failure {
	f := l.iteration.base()
	if f.State <= 0 {
		return how
	}
	l.iteration.order().failure = how
	elsewhere := r.elsewhere(f)
	var j *job.Job[job.Void]
	left := onNewGoroutine(r, func() { j = begin(l.iteration, elsewhere) })
	if j != nil {
		left = waitOnExit(r, j)
	}
	return how.leaving(left)
}

func (l *Loop[K, V]) wait(r *Run, how *failure) *failure {
	above := Run{top: r.top, last: r.last, awaiting: r.awaiting, clock: r.clock, pause: r.pause}
	r.last, r.awaiting = nil, nil
	return how.leaving(waitOnExit(r, startDriver(&above, l.iteration)))
}

// waitOnExit waits for the job of an iterator while the goroutine exits.
func waitOnExit(r *Run, j *job.Job[job.Void]) *failure {
	ctx := context.Background()
	if worker := r.Worker(); worker != nil {
		ctx = context.WithValue(ctx, contract.WorkerKey, worker)
	}
	_, err := j.Wait(ctx)
	if p, ok := err.(*job.PanicError); ok {
		return &failure{value: p.Value, stack: panics.Printed(p.Stack), async: p.Async, goexit: true}
	}
	return exit
}

// onNewGoroutine runs f, which exits, on a new goroutine, and returns how. On the goroutine that
// is already exiting, each iterator's runtime.Goexit would be nested in the previous one, and the
// runtime walks over all of them.
func onNewGoroutine(r *Run, f func()) *failure {
	var how *failure
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			if v := recover(); v != nil {
				how = r.newPanic(v)
			}
		}()
		f()
	}()
	<-ended
	return how.exiting()
}
