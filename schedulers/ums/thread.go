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

// Reason is why an entry point is called.
type Reason uint8

// The reasons.
const (
	Startup       Reason = iota // the thread has entered the scheduling mode
	WorkerBlocked               // its worker is inside a marked call, waits, or has ended
	WorkerYielded               // the worker that it ran has called Yield
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

// Cause says more about [WorkerBlocked].
type Cause uint8

// The causes.
const (
	None    Cause = iota // the reason is another one
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
	Worker *Worker // the one that has yielded; nil for other reasons
	Param  any     // that of EnterSchedulingMode, or that of Yield; nil for WorkerBlocked
}

// EntryPoint decides what a thread does next: it calls [Thread.Execute] successfully,
// once, and returns. If it returns without that, the thread leaves the scheduling mode.
// It must not wait for a lock that a worker may hold.
type EntryPoint func(t *Thread, a Activation)

// Thread is a scheduler thread: a goroutine inside [EnterSchedulingMode]. Its methods
// are for the entry point.
type Thread struct {
	id   int // of a scheduler's: from 1 on
	list *CompletionList
	back chan Activation // has room for one; the thread's one worker sends one

	// host lets the thread continue, with that activation, on another goroutine. It is
	// set for threads that lend new workers their goroutine; the threads of
	// EnterSchedulingMode stay on its caller's.
	host func(Activation)

	// carries is the worker that the thread runs, from the moment when the thread only
	// waits for an activation.
	carries atomic.Pointer[Worker]

	stage  atomic.Int32
	picked *Worker // of the goroutine that has set the stage to claiming
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
		a, _ = t.carry(w)
	}
}

// carry runs w, which was picked, until it has left t. It returns why, or false if the
// thread is on another goroutine by then.
func (t *Thread) carry(w *Worker) (a Activation, here bool) {
	begun := w.begun
	w.begun = true
	t.carries.Store(w)
	switch {
	case begun:
		w.resume()
	case t.host == nil:
		go w.main()
	default:
		if !w.mainHosted() {
			return a, false
		}
		t.carries.Store(nil)
		return Activation{Reason: WorkerBlocked, Cause: Ended}, true
	}
	a = <-t.back
	t.carries.Store(nil)
	return a, true
}

// decide calls the entry point and returns the worker that it has picked, or nil.
func (t *Thread) decide(entry EntryPoint, a Activation) (picked *Worker) {
	returned := false
	defer func() {
		picked = t.decision()
		if !returned && picked != nil {
			picked.unclaim()
		}
	}()
	t.stage.Store(deciding)
	entry(t, a)
	returned = true
	return nil
}

// decision ends the stage and returns the worker that the entry point has picked, or
// nil.
func (t *Thread) decision() *Worker {
	for {
		switch s := t.stage.Load(); {
		case s == claiming: // by another goroutine, which the thread has moved to
			runtime.Gosched()
		case t.stage.CompareAndSwap(s, notDeciding):
			if s == decided {
				return t.picked
			}
			return nil
		}
	}
}

// Execute picks w: it runs when the entry point returns. It returns nil; or why w
// cannot be executed now, which is [ErrLocked], [ErrNotReady] or [ErrTerminated], and
// another worker can be picked; or [ErrNotDeciding]. It does not block.
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
