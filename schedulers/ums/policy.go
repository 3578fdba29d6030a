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
	line     line
	policy   Policy       // nil: the head of the line
	failed   *PolicyError // why the policy was dropped
	reported bool         // the failure was reported
}

// ready puts workers in line: all of them before it reports the first to the policy, so
// the line contains all of them whatever the policy does.
func (d *decisions) ready(workers ...*Worker) {
	workers = slices.DeleteFunc(workers, func(w *Worker) bool { return !d.line.push(w) })
	for _, w := range workers {
		if d.policy != nil {
			d.consult(func(p Policy) { p.Ready(w) })
		}
	}
}

// next takes the next worker out of the line, or returns nil if that is empty.
func (d *decisions) next() *Worker {
	if d.policy == nil || d.line.first == nil {
		return d.line.remove(d.line.first)
	}
	var w *Worker
	d.consult(func(p Policy) { w = p.Next() })
	switch {
	case d.policy == nil: // the call above has failed
	case w == nil:
		d.drop(&PolicyError{Err: ErrPolicyWithheld})
	case !d.line.has(w):
		d.drop(&PolicyError{Err: ErrPolicyInvented})
	default:
		return d.line.remove(w)
	}
	return d.line.remove(d.line.first)
}

// consult calls f with the policy and drops the policy if f does not return. After that, a
// Goexit continues and ends the thread, which is started again.
func (d *decisions) consult(f func(Policy)) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			d.drop(&PolicyError{Err: asError(v), Stack: debug.Stack()})
		} else {
			d.drop(&PolicyError{Err: ErrPolicyExited})
		}
	}()
	f(d.policy)
	returned = true
}

func (d *decisions) drop(e *PolicyError) { d.policy, d.failed = nil, e }

func asError(v any) error {
	if err, ok := v.(error); ok {
		return err
	}
	return fmt.Errorf("panic: %v", v)
}

// line is a list of workers, linked in both directions.
type line struct{ first, last *Worker }

// position is a worker's position in a line.
type position struct {
	in             *line // nil: in none
	before, behind *Worker
}

func (l *line) has(w *Worker) bool { return w.in == l }

// push adds w at the end, or returns false if it is in line already.
func (l *line) push(w *Worker) bool {
	if w.in != nil {
		return false
	}
	w.position = position{in: l, before: l.last}
	if l.last != nil {
		l.last.behind = w
	} else {
		l.first = w
	}
	l.last = w
	return true
}

// remove takes w out and returns it. A nil w stays nil.
func (l *line) remove(w *Worker) *Worker {
	if w == nil {
		return nil
	}
	if w.before != nil {
		w.before.behind = w.behind
	} else {
		l.first = w.behind
	}
	if w.behind != nil {
		w.behind.before = w.before
	} else {
		l.last = w.before
	}
	w.position = position{}
	return w
}
