package ums

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
)

// Policy decides in which order the workers of a [Scheduler] run. The scheduler's
// threads call its methods, one at a time, under a lock that no worker uses. So the
// methods need no lock of their own, and must not wait for one that workers use. They may
// submit work and call [Worker.Information].
type Policy interface {
	// Ready reports that w can run: it is new, or its blocking has ended, or it has
	// yielded.
	Ready(w *Worker)

	// Next returns a worker that Ready has reported, and that Next has not
	// returned since; nil only if there is none. It may return workers that have
	// ended meanwhile.
	Next() *Worker
}

var (
	// ErrPolicyExited is the reason if a policy has called runtime.Goexit.
	ErrPolicyExited = errors.New("ums: the policy called runtime.Goexit")

	// ErrPolicyWithheld is the reason if Next has returned nil although workers are
	// ready.
	ErrPolicyWithheld = errors.New("ums: the policy returned no worker, although some are ready")

	// ErrPolicyInvented is the reason if Next has returned a worker that is not
	// ready.
	ErrPolicyInvented = errors.New("ums: the policy returned a worker that is not ready")
)

// PolicyError reports why a policy was dropped.
type PolicyError struct {
	Err   error  // one of the errors above, or the panic of the policy, as an error
	Stack []byte // of the panic, or nil
}

// Error implements error.
func (e *PolicyError) Error() string {
	if e.Err == nil {
		return "ums: the policy was replaced by first in, first out"
	}
	return fmt.Sprintf("ums: the policy was replaced by first in, first out: %v", e.Err)
}

// Unwrap returns the cause.
func (e *PolicyError) Unwrap() error { return e.Err }

// decisions are the ready workers and the policy that chooses from them. A Mutex of the
// scheduler side guards them.
type decisions struct {
	queue    readyQueue
	policy   Policy       // nil: the head of the queue
	failed   *PolicyError // why the policy was dropped
	reported bool         // the failure was reported
}

// addReady puts workers into the queue: all of them before it reports the first to the policy, so
// the queue contains all of them whatever the policy does.
func (d *decisions) addReady(workers ...*Worker) {
	workers = slices.DeleteFunc(workers, func(w *Worker) bool { return !d.queue.push(w) })
	for _, w := range workers {
		if d.policy != nil {
			d.callPolicy(func(p Policy) { p.Ready(w) })
		}
	}
}

// next takes the next worker out of the queue, or returns nil if that is empty.
func (d *decisions) next() *Worker {
	if d.policy == nil || d.queue.first == nil {
		return d.queue.remove(d.queue.first)
	}
	var w *Worker
	d.callPolicy(func(p Policy) { w = p.Next() })
	switch {
	case d.policy == nil: // the call above has failed
	case w == nil:
		d.dropPolicy(&PolicyError{Err: ErrPolicyWithheld})
	case !d.queue.has(w):
		d.dropPolicy(&PolicyError{Err: ErrPolicyInvented})
	default:
		return d.queue.remove(w)
	}
	return d.queue.remove(d.queue.first)
}

// callPolicy calls f with the policy and drops the policy if f does not return. After that, a
// Goexit continues and ends the thread, which is started again.
func (d *decisions) callPolicy(f func(Policy)) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			d.dropPolicy(&PolicyError{Err: asError(v), Stack: debug.Stack()})
		} else {
			d.dropPolicy(&PolicyError{Err: ErrPolicyExited})
		}
	}()
	f(d.policy)
	returned = true
}

func (d *decisions) dropPolicy(e *PolicyError) { d.policy, d.failed = nil, e }

func asError(v any) error {
	if err, ok := v.(error); ok {
		return err
	}
	return fmt.Errorf("panic: %v", v)
}

// readyQueue is a list of workers, linked in both directions.
type readyQueue struct{ first, last *Worker }

// queueLinks are a worker's links in a ready queue.
type queueLinks struct {
	queue               *readyQueue // nil: in none
	previous, following *Worker
}

func (q *readyQueue) has(w *Worker) bool { return w.queue == q }

// push adds w at the end, or returns false if it is there already.
func (q *readyQueue) push(w *Worker) bool {
	if w.queue != nil {
		return false
	}
	w.queueLinks = queueLinks{queue: q, previous: q.last}
	if q.last != nil {
		q.last.following = w
	} else {
		q.first = w
	}
	q.last = w
	return true
}

// remove takes w out and returns it. A nil w stays nil.
func (q *readyQueue) remove(w *Worker) *Worker {
	if w == nil {
		return nil
	}
	if w.previous != nil {
		w.previous.following = w.following
	} else {
		q.first = w.following
	}
	if w.following != nil {
		w.following.previous = w.previous
	} else {
		q.last = w.previous
	}
	w.queueLinks = queueLinks{}
	return w
}
