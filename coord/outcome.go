package coord

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// outcome is a waiter that was decided under a primitive's lock and is completed after
// its release: the interface that puts waiters of several types into one list.
type outcome interface {
	decide()
	// complete returns the continuations to notify, and the outcomes to complete next, which it
	// has brought about.
	complete() (waiters continuation.Chain, more outcomes)
	nextOutcome() *outcome
}

// outcomes lists the waiters that one step under the lock has decided, in their order of
// arrival. It is a value, passed from function to function, so releasing a primitive
// without waiters allocates nothing.
type outcomes struct{ first, last outcome }

// add decides o and puts it at the end.
func (l *outcomes) add(o outcome) {
	o.decide()
	if l.last == nil {
		l.first = o
	} else {
		*l.last.nextOutcome() = o
	}
	l.last = o
}

// append puts the others at the end.
func (l *outcomes) append(others outcomes) {
	if others.first == nil {
		return
	}
	if l.last == nil {
		l.first = others.first
	} else {
		*l.last.nextOutcome() = others.first
	}
	l.last = others.last
}

// deliver completes all and notifies their continuations. No lock is held. worker
// is the one that the caller believes it runs on, or nil.
func (l outcomes) deliver(worker schedulers.Worker) {
	if l.first != nil {
		l.complete().Deliver(worker)
	}
}

// complete completes all and returns the continuations to notify: it is deliver for use
// inside another completion, where the stack must stay flat.
func (l outcomes) complete() (waiters continuation.Chain) {
	for l.first != nil {
		o := l.first
		link := o.nextOutcome()
		if l.first = *link; l.first == nil {
			l.last = nil
		}
		*link = nil // a job that is kept must not keep the next one
		ended, more := o.complete()
		waiters = waiters.Join(ended)
		l.append(more)
	}
	return waiters
}
