package parallel

import (
	"sync/atomic"

	"github.com/movenext/movenext/job"
)

// anyFork is a fork without its types.
type anyFork interface {
	base() *header
	execute(w *Worker) // calls the function and keeps its result
	call(w *Worker)    // forgets all and calls the function; the result is unwanted
	clear()            // forgets function, argument and result
}

// header is the part of a fork that does not depend on its types. A fork that is not
// taken uses only the first group of fields.
type header struct {
	owner      *Worker
	index      int    // its position on its owner's stack, always the same
	generation uint32 // how often handles to it have become invalid

	// state is the only thing that owner and taker both write while the fork runs.
	state atomic.Uint32

	// Written by the taker under the lock of the owner's offers, read by the owner
	// after it has had that lock.
	thief *Worker
	since uint64 // offers of the thief from this ticket on descend from this fork

	outer *header // the fork that runs below this one, on the thief's goroutine

	wake chan struct{} // the owner's; written before state says awaited

	// Written by the taker before state says ended, read by the owner after.
	failure *job.PanicError
	exited  bool // the function called runtime.Goexit
}

// The states of a taken fork.
//
//	  ┌───────────────────────────────────────────┐
//	  │                                           ▼
//	running ──owner parks──▶ awaited ──ends──▶ ended
//	  ▲                         │
//	  └──owner is nudged────────┘
//
//	state     run by           the owner          leaves it by
//	running   owner or taker   is busy or looks   taker: ended; owner: awaited, by CAS
//	awaited   the taker        sleeps on wake     taker: ended or running; owner: running, by CAS
//	ended     –                reads the outcome  release
//
// A worker other than the owner that takes a fork out of awaited closes wake,
// once. The owner does not release the fork before that, so the taker may still
// read wake then; after any other step to ended the taker does not touch the fork
// again.
const (
	running uint32 = iota
	awaited
	ended
)

func (h *header) base() *header { return h }

// finish publishes the outcome.
func (h *header) finish() {
	if h.state.Swap(ended) == awaited {
		close(h.wake)
	}
}

// nudge wakes a sleeping owner, so that it searches for a fork to take. The taker calls it.
func (h *header) nudge() {
	if h.state.Load() == awaited && h.state.CompareAndSwap(awaited, running) {
		close(h.wake)
	}
}

func (h *header) hasEnded() bool { return h.state.Load() == ended }

// release makes the fork ready for reuse. Its owner calls it when no other worker refers
// to the fork.
func (h *header) release() {
	h.generation++
	if h.thief == nil {
		return // the other fields were never written
	}
	h.state.Store(running)
	h.thief, h.outer, h.wake = nil, nil, nil
	h.failure, h.exited = nil, false
}

// fork holds a function and its argument, and the result if another worker calls it. A
// fork belongs to a position on the stack of a [Worker] and is reused; after its join it
// refers to no user objects.
type fork[A, R any] struct {
	header
	fn     func(*Worker, A) R
	arg    A
	result R
}

func (f *fork[A, R]) execute(w *Worker) { f.result = f.fn(w, f.arg) }

func (f *fork[A, R]) call(w *Worker) {
	fn, arg := f.fn, f.arg
	f.forget()
	fn(w, arg)
}

func (f *fork[A, R]) clear() {
	var result R
	f.forget()
	f.result = result
}

// forget is clear for a fork that has not been run.
func (f *fork[A, R]) forget() {
	var arg A
	f.fn, f.arg = nil, arg
}

// thunk is a fork whose function has no argument.
type thunk[R any] struct {
	header
	fn     func(*Worker) R
	result R
}

func (f *thunk[R]) execute(w *Worker) { f.result = f.fn(w) }

func (f *thunk[R]) call(w *Worker) {
	fn := f.fn
	f.fn = nil
	fn(w)
}

func (f *thunk[R]) clear() {
	var result R
	f.fn, f.result = nil, result
}
