package durable

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/durable/gen"
)

// step saves the checkpoint and calls the step at the point. If the checkpoint was loaded, it
// saves the loaded values again: only the owner and the attempt are new.
func (r *run) step(loaded bool) (more bool, err error) {
	if r.doc.Canceled && !r.doc.Undoing {
		if r.mustLook() {
			if over, err := r.look(loaded); over || err != nil {
				return false, err
			}
		}
		return r.proceed(ErrCanceled)
	}
	if !loaded {
		r.doc.Steps++
		if ok, err := r.captureOrStick(); !ok {
			return false, err
		}
	}
	status, owner, due, err := r.planStep()
	if err != nil {
		return false, err
	}
	if ok, err := r.saveStep(status, owner, due); !ok {
		return false, err
	}
	if r.doc.Canceled && !r.doc.Undoing {
		return r.proceed(ErrCanceled)
	}
	if owner == "" {
		return false, nil
	}
	if failure := r.tryStep(); r.e.ctx.Err() == nil {
		if failure != nil && r.heartbeatErr != nil {
			return false, r.heartbeatErr // the store has failed, not the step
		}
		return r.afterStep(failure)
	}
	return false, nil // Shutdown ended the step; the checkpoint will repeat it
}

// planStep decides what the record says while the step is pending: its owner, or when it is due
// for another worker.
func (r *run) planStep() (status Status, owner string, due time.Time, err error) {
	switch {
	case r.e.now().Before(r.doc.Until): // woken by a message between two attempts
		_, err = r.readInbox()
		return Waiting, "", r.doc.Until, err
	case r.e.isDraining() || !r.e.runs(r.doc.Step):
		return Running, "", r.e.now(), nil // another worker calls it
	}
	r.doc.Attempt++
	return Running, r.e.worker, time.Time{}, nil
}

// saveStep saves the checkpoint, and reads the inbox if there is mail for an owner. It returns
// false if there is an error, or if the instance is stuck now.
func (r *run) saveStep(status Status, owner string, due time.Time) (ok bool, err error) {
	mail, ok, err := r.saveOrStick(status, owner, due)
	if ok && mail && owner != "" {
		_, err = r.readInbox()
	}
	return ok && err == nil, err
}

// tryStep calls the step, reports the call to the hooks and counts it.
func (r *run) tryStep() error {
	v := Event{Kind: StepBegan, Step: r.doc.Step, Attempt: r.doc.Attempt}
	r.emit(v)
	begin := time.Now()
	failure := r.callStep()
	v.Kind, v.Took, v.Err = StepEnded, time.Since(begin), failure
	c := &r.e.counts
	c.steps.Add(1)
	c.stepTimes.AddTime(v.Took)
	if failure != nil {
		c.failures.Add(1)
	}
	r.emit(v)
	return failure
}

// callStep calls the step. It returns the error that the function will see, or the original error
// if that is marked as permanent.
func (r *run) callStep() error {
	ctx := r.ctx
	if r.doc.Undoing {
		ctx = r.e.ctx // a cancellation does not cancel the compensations that it triggers
	}
	a := &attempt{place: r.e.place, wake: make(chan struct{}, 1), tx: stepTx{transactor: r.e.transactor}}
	info := stepInfo{
		key:     fmt.Sprintf("%s/%s/%d", r.record.ID, r.record.Run, r.doc.Steps),
		attempt: r.doc.Attempt, progress: r.doc.Progress, live: a,
	}
	limit := r.policy().Timeout
	// On a goroutine of its own, since the step may end it with runtime.Goexit.
	r.e.place.Go(ctx, "durable: step "+r.doc.Step+" of "+r.record.ID, func(ctx context.Context) {
		ctx = a.begin(context.WithValue(ctx, stepKey{}, info))
		if limit > 0 {
			var stop context.CancelFunc
			ctx, stop = r.e.place.WithTimeout(ctx, limit)
			defer stop()
		}
		err := error(&PanicError{})
		defer func() {
			if v := recover(); v != nil {
				err = &PanicError{fmt.Sprint(v)}
			}
			a.end(err)
		}()
		if r.doc.Undoing {
			last := r.deferred[len(r.deferred)-1]
			err = r.frame.Undo(ctx, last.site, last.args)
		} else {
			err = r.frame.Call(ctx, r.point)
		}
	})
	failure := r.superviseStep(ctx, a)
	r.tx, failure = a.tx.end(r.e.ctx, failure)
	return failure
}

// afterStep decides what follows the outcome of a step: another attempt, or the continuation of
// the function.
func (r *run) afterStep(failure error) (more bool, err error) {
	if failure == nil {
		return r.proceed(nil)
	}
	r.doc.Failures++
	pause, again := r.policy().next(failure, r.doc.Failures)
	if (r.doc.Canceled || context.Cause(r.ctx) == ErrCanceled) && !r.doc.Undoing {
		again = false
		if _, err := r.readInbox(); err != nil {
			return false, err
		}
	}
	if !again {
		if marked, ok := failure.(permanent); ok {
			failure = marked.error
		}
		return r.proceed(Normalise(failure))
	}
	r.doc.Crashes = 0
	// The checkpoint still holds the arguments: the document has not changed since.
	r.e.counts.retries.Add(1)
	r.doc.Until = r.e.now().Add(pause)
	_, _, err = r.saveOrStick(Waiting, "", r.doc.Until)
	return false, err
}

// proceed continues the function after a step.
func (r *run) proceed(failure error) (more bool, err error) {
	if !r.doc.Undoing {
		r.turn = &turn{err: failure}
		return true, nil
	}
	r.deferred = r.deferred[:len(r.deferred)-1]
	if failure != nil {
		_, to := r.frame.Outcome()
		*to = errors.Join(*to, failure)
	}
	return r.unwind()
}

// unwind makes the deferred calls of a function that has returned, in reverse order, and ends the
// instance.
func (r *run) unwind() (more bool, err error) {
	_, failure := r.frame.Outcome()
	if *failure == nil || len(r.deferred) == 0 {
		return false, r.end()
	}
	_, step := r.frame.Deferred(r.deferred[len(r.deferred)-1].site)
	at := r.doc.At
	r.startPoint(returnPoint, at, step)
	r.point, r.doc.Undoing = gen.Returning, true
	return r.step(false)
}
