package statemachine

import (
	"context"

	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/internal/pullcontext"
	"github.com/movenext/movenext/job"
)

// iterator is a plain function as an [Iteration]: it runs on its own goroutine and takes
// turns with the loop, as a coroutine would. iter.Pull does not fit: if its creator and
// its consumer differ in thread locking, it ends the process, and a machine continues
// wherever its home runs it.
//
// Two handoffs make locks on the fields unnecessary: resume passes the turn to the
// iterator, and the completion of the step passes it back to the loop.
//
//	loop                                iterator's goroutine
//	 1. make a step                      2. run to the next yield, or the end
//	    start, or send resume            3. store the value, complete the step
//	 4. await the step                   5. receive resume, check the order
//	 6. take the value
type iterator[K, V any] struct {
	Frame
	wanted order
	seq    func(yield func(K, V) bool)
	resume chan struct{}
	step   *promise.Promise[job.Void]

	// The value that has arrived, or the end.
	key   K
	value V
	over  bool     // seq has ended
	how   *failure // if not by returning
}

// The states of an iterator, in addition to those of all frames.
const (
	iteratorRuns   int32 = 1 + iota // it is awaited
	iteratorYields                  // it is in a yield
)

// Range2 begins a range with two variables over a function.
func Range2[K, V any](seq func(yield func(K, V) bool)) *Loop[K, V] {
	return &Loop[K, V]{iteration: &iterator[K, V]{seq: seq, resume: make(chan struct{}, 1)}}
}

// Range1 begins a range with one variable over a function.
func Range1[K any](seq func(yield func(K) bool)) *Loop[K, job.Void] {
	return Range2(func(yield func(K, job.Void) bool) {
		seq(func(k K) bool { return yield(k, job.Void{}) })
	})
}

// Range0 begins a range without variables over a function.
func Range0(seq func(yield func() bool)) *Loop[job.Void, job.Void] {
	return Range2(func(yield func(job.Void, job.Void) bool) {
		seq(func() bool { return yield(job.Void{}, job.Void{}) })
	})
}

// MoveNext implements StateMachine: it runs to the next value or the end.
func (f *iterator[K, V]) MoveNext(r *Run) bool {
	switch state := f.State; state {
	case iteratorRuns:
		// A lost home is reported at awaits; a range has no means to report it.
		_ = r.Refusal()
		return f.arrive(r)
	case NotStarted, iteratorYields:
		f.step = new(promise.Promise[job.Void])
		promise.Init(&f.step.Job)
		f.State = iteratorRuns
		return f.await(r, &f.step.Job, state)
	default:
		Misuse(state)
		return true
	}
}

// await gives the iterator its turn. A goroutine that exits blocks for it as plain code
// would, since it cannot suspend.
func (f *iterator[K, V]) await(r *Run, step *job.Job[job.Void], before int32) bool {
	exits := f.wanted.failure != nil && f.wanted.failure.goexit
	if before == NotStarted {
		go f.run()
	} else {
		f.resume <- struct{}{}
	}
	if !exits {
		return r.Await(step)
	}
	_, _ = step.Await()
	return f.arrive(r)
}

// arrive takes the value that has arrived, or the end.
func (f *iterator[K, V]) arrive(r *Run) bool {
	if !f.over {
		f.State = iteratorYields
		return true
	}
	f.State = Finished
	if f.how != nil {
		r.raise(f.how)
	}
	return true
}

func (f *iterator[K, V]) run() {
	returned := false
	defer func() {
		if !returned {
			f.how = f.how.exiting()
		}
		f.over = true
		f.reply()
	}()
	f.callSeq()
	returned = true
}

// callSeq calls the function. It writes its panic to how.
func (f *iterator[K, V]) callSeq() {
	defer func() {
		if v := recover(); v != nil {
			f.how = &failure{value: v, stack: stackOf(v)}
		}
	}()
	f.seq(f.yield)
}

func (f *iterator[K, V]) reply() {
	waiters, _ := promise.TryComplete(f.step, context.Background(), job.Void{}, nil)
	waiters.Deliver(nil)
}

// yield is the function that seq calls.
func (f *iterator[K, V]) yield(k K, v V) bool {
	if f.over {
		panicFinishedLoop()
	}
	f.wanted.check()
	f.key, f.value = k, v
	f.reply()
	<-f.resume
	if how := f.wanted.failure; how != nil {
		f.wanted.failure, f.wanted.failed = nil, true
		how.raise()
	}
	return !f.wanted.stopped
}

// panicFinishedLoop panics as the Go runtime does when yield is called after the loop has
// ended.
func panicFinishedLoop() {
	var kept func() bool
	for range func(yield func() bool) { kept = yield } {
	}
	kept()
}

func (f *iterator[K, V]) current() (K, V) {
	k, v := f.key, f.value
	var noKey K
	var noValue V
	f.key, f.value = noKey, noValue
	return k, v
}

func (f *iterator[K, V]) order() *order { return &f.wanted }

func (f *iterator[K, V]) base() *Frame { return &f.Frame }

// runsIn implements Iteration: plain code knows its context from its maker.
func (f *iterator[K, V]) runsIn(*pullcontext.Context) {}
