package durable

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// step saves the checkpoint and calls the step at the point. If the checkpoint was loaded, its
// values are those that are saved again: only the owner and the attempt are new.
func (r *run) step(loaded bool) (goOn bool, err error) {
	if r.doc.Canceled && !r.doc.Undoing {
		return r.proceed(ErrCanceled)
	}
	if !loaded {
		r.doc.Steps++
		if !r.captured() {
			return false, nil
		}
	}
	due, owner, status := time.Time{}, r.e.worker, Running
	switch {
	case time.Now().Before(r.doc.Until): // woken by a message between two attempts
		if err := r.look(); err != nil {
			return false, err
		}
		due, owner, status = r.doc.Until, "", Waiting
	case r.e.isDraining():
		due, owner = time.Now(), ""
	default:
		r.doc.Attempt++
	}
	mail, ok, err := r.saved(status, owner, due)
	if !ok {
		return false, err
	}
	if mail && owner != "" {
		if err := r.look(); err != nil {
			return false, err
		}
	}
	if r.doc.Canceled && !r.doc.Undoing {
		return r.proceed(ErrCanceled)
	}
	if owner == "" {
		return false, nil
	}
	if failure := r.call(); r.e.ctx.Err() == nil {
		return r.called(failure)
	}
	return false, nil // Shutdown has ended the step; the checkpoint repeats it
}

// call calls the step, and returns its error as the function will see it, or as it was if it
// is permanent.
func (r *run) call() error {
	ctx := r.ctx
	if r.doc.Undoing {
		ctx = r.e.ctx // a cancellation does not end what it asks for
	}
	ctx = context.WithValue(ctx, stepKey{}, stepInfo{
		key:     fmt.Sprintf("%s/%s/%d", r.record.ID, r.record.Run, r.doc.Steps),
		attempt: r.doc.Attempt,
	})
	if limit := r.e.retry(r.doc.Step).Timeout; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	// On a goroutine of its own, since it may end that by runtime.Goexit.
	done := make(chan error, 1)
	go func() {
		err := error(&PanicError{})
		defer func() {
			if v := recover(); v != nil {
				err = &PanicError{fmt.Sprint(v)}
			}
			done <- err
		}()
		if r.doc.Undoing {
			last := r.deferred[len(r.deferred)-1]
			err = r.frame.Undo(ctx, last.site, last.args)
		} else {
			err = r.frame.Call(ctx, r.point)
		}
	}()
	return <-done
}

// called decides what follows from the outcome of a step: another attempt, or that the
// function goes on.
func (r *run) called(failure error) (goOn bool, err error) {
	if failure == nil {
		return r.proceed(nil)
	}
	r.doc.Failures++
	pause, again := r.e.retry(r.doc.Step).again(failure, r.doc.Failures)
	if context.Cause(r.ctx) == ErrCanceled && !r.doc.Undoing {
		again = false
		if err := r.look(); err != nil {
			return false, err
		}
	}
	if !again {
		if marked, ok := failure.(permanent); ok {
			failure = marked.error
		}
		return r.proceed(Normalise(failure))
	}
	// The arguments are those of the checkpoint: the document has not changed since.
	r.doc.Until = time.Now().Add(pause)
	_, _, err = r.saved(Waiting, "", r.doc.Until)
	return false, err
}

// proceed lets the function continue after a step.
func (r *run) proceed(failure error) (goOn bool, err error) {
	if !r.doc.Undoing {
		r.turn = &Turn{err: failure}
		return true, nil
	}
	r.deferred = r.deferred[:len(r.deferred)-1]
	if failure != nil {
		_, to := r.frame.Outcome()
		*to = errors.Join(*to, failure)
	}
	return r.unwind()
}

// unwind makes the deferred calls of a function that has returned, the last one first, and
// ends the instance.
func (r *run) unwind() (goOn bool, err error) {
	_, failure := r.frame.Outcome()
	if *failure == nil || len(r.deferred) == 0 {
		return false, r.end()
	}
	_, step := r.frame.Deferred(r.deferred[len(r.deferred)-1].site)
	at := r.doc.At
	r.at(returnPoint, at, step)
	r.point, r.doc.Undoing = Returning, true
	return r.step(false)
}
