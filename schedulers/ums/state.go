package ums

import "fmt"

// State is the state of a worker. The package comment has the table and the graph.
type State uint8

// The states.
const (
	Created    State = iota // it has never run
	Ready                   // it could run, and waits to be picked
	Running                 // it runs for a thread
	Blocked                 // it is inside a marked call
	Terminated              // its function has ended, or never will begin
)

// String returns the name of the state.
func (s State) String() string {
	switch s {
	case Created:
		return "Created"
	case Ready:
		return "Ready"
	case Running:
		return "Running"
	case Blocked:
		return "Blocked"
	case Terminated:
		return "Terminated"
	default:
		return fmt.Sprintf("State(%d)", uint8(s))
	}
}

// This file holds the edges of the state. Each is one method, takes the list's lock,
// and returns what its caller must do after the lock is released.

// claim takes the edge to Running on behalf of t.
func (w *Worker) claim(t *Thread) error {
	w.list.mu.Lock()
	defer w.list.mu.Unlock()
	return w.claimLocked(t)
}

// claimLocked is claim for a caller that holds the list's lock.
func (w *Worker) claimLocked(t *Thread) error {
	switch {
	case w.state == Terminated:
		return ErrTerminated
	case w.listed || w.state != Created && w.state != Ready:
		return ErrNotReady
	case w.holds > 0:
		w.retryAfterHold = true
		return ErrLocked
	}
	w.state, w.thread, w.noticed = Running, t, false
	w.hosted = t.host != nil && !w.begun
	w.count.executed++
	return nil
}

// unclaim undoes a claim that was not followed by resume, and puts w on its list, since
// no other reference to it is left.
func (w *Worker) unclaim() {
	w.list.mu.Lock()
	defer w.list.mu.Unlock()
	if w.state != Running {
		return
	}
	w.state = Ready
	w.detach()
	if !w.begun {
		w.state = Created
	}
	w.count.executed--
	w.list.put(w)
}

// resume follows a claim of a worker that has begun: it releases one goroutine that is
// parked on its behalf.
func (w *Worker) resume() {
	w.list.mu.Lock()
	wake := w.wake
	w.list.mu.Unlock()
	wake <- struct{}{}
}

// block takes the edge from Running to Blocked and returns the thread to activate. If w is
// not running, it only counts the call and returns no thread.
func (w *Worker) block() departure {
	w.list.mu.Lock()
	defer w.list.mu.Unlock()
	w.markedCalls++
	if w.state != Running {
		return departure{}
	}
	w.count.blocked++
	w.state = Blocked
	return w.detach()
}

// notice is block on behalf of a worker that seems to block in an unmarked call, if it is
// still in the execution with the number time. It returns the thread to activate, or none.
func (w *Worker) notice(time uint32) departure {
	w.list.mu.Lock()
	defer w.list.mu.Unlock()
	if w.state != Running || w.count.executed != time || w.thread.current.Load() != w {
		return departure{}
	}
	w.count.blocked++
	w.state, w.noticed = Blocked, true
	return w.detach()
}

// unblock takes the edge from Blocked to Ready, puts w on its list, and returns the channel
// on which to park. It returns nil if there is no reason to park: another call on behalf of
// w has not ended, or w is not blocked at all.
func (w *Worker) unblock() <-chan struct{} {
	w.list.mu.Lock()
	defer w.list.mu.Unlock()
	w.markedCalls--
	if w.state != Blocked || w.markedCalls > 0 {
		return nil
	}
	w.state = Ready
	w.list.put(w)
	return w.wakeChannel()
}

// yield takes the edge from Running to Ready and returns the thread to activate and the
// channel on which to park. A worker that was noticed has no thread to activate, and
// returns to its list as after a call. The channel is nil if w is neither running nor
// noticed.
func (w *Worker) yield() (departure, <-chan struct{}) {
	w.list.mu.Lock()
	defer w.list.mu.Unlock()
	switch {
	case w.state == Running:
		w.count.yielded++
		w.state = Ready
		return w.detach(), w.wakeChannel()
	case w.state == Blocked && w.noticed && w.markedCalls == 0:
		w.count.yielded++
		w.state = Ready
		w.list.put(w)
		return departure{}, w.wakeChannel()
	default:
		return departure{}, nil
	}
}

// terminate takes the edge to Terminated. It returns the thread to activate, or none,
// and the channel that releases a goroutine parked on behalf of w, or nil.
func (w *Worker) terminate() (departure, chan<- struct{}) {
	w.list.mu.Lock()
	defer w.list.mu.Unlock()
	var parked chan<- struct{}
	if w.state == Ready {
		parked = w.wake
	}
	w.state = Terminated
	switch {
	case !w.hosted:
		w.list.put(w)
	case w.scheduler.plain && !w.listed:
		w.delete() // as its goroutine would do next
	default:
		w.list.putSilently(w) // its goroutine is about to dequeue: no event is needed
	}
	return w.detach(), parked
}

// withdraw takes the edge from Created to Terminated, or returns false.
func (w *Worker) withdraw() bool {
	w.list.mu.Lock()
	defer w.list.mu.Unlock()
	if w.state != Created {
		return false
	}
	w.state = Terminated
	w.list.put(w)
	return true
}

// departure describes a worker that leaves its thread: the rest of the transition is done
// after the list's lock is released.
type departure struct {
	thread *Thread // nil: it had none
	hosted bool    // the worker keeps the goroutine that was the thread's
}

// activate activates the thread that the worker has left. If the worker stays on the
// goroutine, the thread continues on another one.
func (d departure) activate(a Activation) {
	switch {
	case d.thread == nil:
	case d.hosted:
		d.thread.host(a)
	default:
		d.thread.back <- a
	}
}

// detach takes w off its thread; the list's lock is held.
func (w *Worker) detach() departure {
	d := departure{w.thread, w.hosted}
	w.thread, w.hosted = nil, false
	return d
}

// wakeChannel returns the channel on which the goroutine of w parks; the list's lock is held.
// Most workers never need it.
func (w *Worker) wakeChannel() chan struct{} {
	if w.wake == nil {
		w.wake = make(chan struct{}, 1)
	}
	return w.wake
}
