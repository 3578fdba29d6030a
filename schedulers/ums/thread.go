package ums

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
)

// ErrNotDeciding is returned by Execute if the thread's entry point is not running, or
// has already picked.
var ErrNotDeciding = errors.New("ums: Execute outside of the entry point, or for the second time in it")

// Reason is the reason for a call of an entry point.
type Reason uint8

// The reasons.
const (
	Startup       Reason = iota // the thread has entered the scheduling mode
	WorkerBlocked               // its worker is inside a marked call, waits, or has ended
	WorkerYielded               // its worker has called Yield
)

// String returns the reason as a word of a log.
func (r Reason) String() string {
	switch r {
	case Startup:
		return "startup"
	case WorkerBlocked:
		return "blocked"
	case WorkerYielded:
		return "yielded"
	default:
		return fmt.Sprintf("Reason(%d)", uint8(r))
	}
}

// Cause distinguishes the cases of [WorkerBlocked].
type Cause uint8

// The causes.
const (
	None    Cause = iota // the reason is not WorkerBlocked
	InCall               // a call that was marked with Block
	InWait               // a wait announced on the worker's behalf
	Ended                // the worker's function has ended
	Noticed              // unmarked blocking, seen from outside; see [Notice]
)

// String returns the cause as words of a log.
func (c Cause) String() string {
	switch c {
	case None:
		return "none"
	case InCall:
		return "in a call"
	case InWait:
		return "in a wait"
	case Ended:
		return "ended"
	case Noticed:
		return "unmarked"
	default:
		return fmt.Sprintf("Cause(%d)", uint8(c))
	}
}

// Activation is one call of an entry point.
type Activation struct {
	Reason Reason
	Cause  Cause   // of WorkerBlocked
	Worker *Worker // the worker that has yielded; nil for other reasons
	Param  any     // the param of EnterSchedulingMode or Yield; nil for WorkerBlocked
}

// EntryPoint decides which worker a thread runs next: it calls [Thread.Execute] until one
// call succeeds, and returns. If it returns without such a call, the thread leaves the
// scheduling mode. It must not wait for a lock that a worker may hold.
type EntryPoint func(t *Thread, a Activation)

// Thread is a scheduler thread: a goroutine inside [EnterSchedulingMode]. Its methods
// are for the entry point.
type Thread struct {
	id   int // of a scheduler's: from 1 on
	list *CompletionList
	back chan Activation // has room for one; the thread's one worker sends one

	// host lets the thread continue, with the given activation, on another goroutine. It
	// is set for threads that lend new workers their goroutine; a thread of
	// EnterSchedulingMode stays on its caller's goroutine.
	host func(Activation)

	// current is the worker that the thread runs. It is set once the thread does nothing
	// but wait for an activation.
	current atomic.Pointer[Worker]

	stage  atomic.Int32
	picked *Worker // used by the goroutine that has set the stage to claiming
}

// The stages of a decision.
const (
	notDeciding int32 = iota
	deciding          // the entry point is running and has not picked
	claiming          // Execute is running
	decided           // the entry point has picked
)

// EnterSchedulingMode makes the calling goroutine a scheduler thread. It calls entry
// with the reason [Startup] and param, runs the worker that entry has picked, calls
// entry again when that worker has blocked, yielded or ended, and so on. It blocks, and
// returns nil when entry has returned without picking a worker. If list or entry is nil
// it immediately returns an error.
//
// The thread is bound to the list, see [Thread.List]. A panic or a runtime.Goexit of
// entry passes through EnterSchedulingMode; a worker that was picked in that call
// appears on its list again.
func EnterSchedulingMode(list *CompletionList, entry EntryPoint, param any) error {
	if list == nil || entry == nil {
		return errors.New("ums: the scheduling mode needs a completion list and an entry point")
	}
	t := &Thread{list: list, back: make(chan Activation, 1)}
	a := Activation{Reason: Startup, Param: param}
	for {
		w := t.decide(entry, a)
		if w == nil {
			return nil
		}
		a, _ = t.runWorker(w)
	}
}

// runWorker runs w, which was picked, until it has left t. It returns the resulting
// activation, or false if the thread is on another goroutine by then.
func (t *Thread) runWorker(w *Worker) (a Activation, here bool) {
	begun := w.begun
	w.begun = true
	t.current.Store(w)
	switch {
	case begun:
		w.resume()
	case t.host == nil:
		go w.main()
	default:
		if !w.mainHosted() {
			return a, false
		}
		t.current.Store(nil)
		return Activation{Reason: WorkerBlocked, Cause: Ended}, true
	}
	a = <-t.back
	t.current.Store(nil)
	return a, true
}

// decide calls the entry point and returns the worker that it has picked, or nil.
func (t *Thread) decide(entry EntryPoint, a Activation) (picked *Worker) {
	returned := false
	defer func() {
		picked = t.endDecision()
		if !returned && picked != nil {
			picked.unclaim()
		}
	}()
	t.stage.Store(deciding)
	entry(t, a)
	returned = true
	return nil
}

// endDecision ends the stage and returns the worker that the entry point has picked, or
// nil.
func (t *Thread) endDecision() *Worker {
	for {
		switch s := t.stage.Load(); {
		case s == claiming: // by another goroutine to which the entry point has passed t
			runtime.Gosched()
		case t.stage.CompareAndSwap(s, notDeciding):
			if s == decided {
				return t.picked
			}
			return nil
		}
	}
}

// Execute picks w and returns nil: w runs when the entry point returns. If w cannot be
// executed now, Execute returns [ErrLocked], [ErrNotReady] or [ErrTerminated], and another
// worker can be picked. It returns [ErrNotDeciding] outside of the entry point, and after a
// worker was picked. It does not block.
func (t *Thread) Execute(w *Worker) error {
	if w == nil {
		return fmt.Errorf("ums: no worker: %w", ErrNotReady)
	}
	if !t.stage.CompareAndSwap(deciding, claiming) {
		return ErrNotDeciding
	}
	if err := w.claim(t); err != nil {
		t.stage.Store(deciding)
		return err
	}
	t.picked = w
	t.stage.Store(decided)
	return nil
}

// List returns the list that the thread is bound to.
func (t *Thread) List() *CompletionList { return t.list }
