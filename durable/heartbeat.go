package durable

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/movenext/movenext/durable/internal/nilctx"
)

// errStepOver is the error of a heartbeat after the end of its step.
var errStepOver = errors.New("durable: the step has ended")

// beat is a heartbeat on its way from the step to its run, which holds the record.
type beat struct {
	progress []byte
	answered chan struct{} // closed: err is set
	err      error
}

func (b *beat) answer(err error) {
	b.err = err
	close(b.answered)
}

// attempt is a running step: the state that it shares with its run.
type attempt struct {
	place Place
	wake  chan struct{} // notified by the step: there is a heartbeat, or it has ended
	tx    stepTx

	mu     sync.Mutex              // guards the fields below
	cancel context.CancelCauseFunc // of the step's context; nil: it has not begun
	cause  error                   // of a cancellation before the step began
	beats  []*beat
	over   bool
	err    error // the step's error, if over
}

// begin returns the context of the step.
func (a *attempt) begin(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cancel = cancel
	if a.cause != nil {
		cancel(a.cause)
	}
	return ctx
}

// stop ends the context of the step.
func (a *attempt) stop(cause error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cancel == nil {
		a.cause = cause
		return
	}
	a.cancel(cause)
}

// end marks the step as ended and answers its heartbeats.
func (a *attempt) end(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over, a.err = true, err
	for _, b := range a.beats {
		b.answer(errStepOver)
	}
	a.beats = nil
	a.cancel(nil)
	notify(a.wake)
}

// beat passes a heartbeat to the run. It returns false if the step has ended.
func (a *attempt) beat(b *beat) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.over {
		a.beats = append(a.beats, b)
		notify(a.wake)
	}
	return !a.over
}

// takeEvents returns the events since the last call: heartbeats, or the end of the step.
func (a *attempt) takeEvents() (beats []*beat, over bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	beats, a.beats = a.beats, nil
	return beats, a.over, a.err
}

// Heartbeat reports that the step that runs with the context is alive, and its progress. The
// progress, a value that can be saved, is written to the store; so call Heartbeat every few
// seconds, not for each item. The next attempt reads the progress with [Progress], even after a
// crash. Heartbeat blocks until the progress is durable.
//
// After an error the step should stop. The error is the cause of the context, or [ErrCanceled]
// after a cancellation in another process; or it says that another worker has the instance, or
// that the store has failed. In that last case the attempt does not count as a failure of the
// step, which is called again. A progress that cannot be saved is also an error, as is a call
// outside a step ([ErrNotDurable]). In the plain form Heartbeat does nothing. It is safe for
// concurrent use.
func Heartbeat(ctx context.Context, progress any) error {
	ctx = nilctx.Background(ctx)
	info, ok := ctx.Value(stepKey{}).(stepInfo)
	if !ok {
		_, err := plainOf(ctx)
		return err
	}
	data, err := encodePayload(progress)
	if err != nil {
		return err
	}
	b := &beat{progress: data, answered: make(chan struct{})}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !info.live.beat(b) {
		return errStepOver
	}
	for !isClosed(b.answered) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		info.live.place.Wait(ctx, b.answered, Forever)
	}
	return b.err
}

// Progress returns the value that an earlier attempt of the step that runs with the context last
// passed to Heartbeat. It reports false if there was none, or if it was not a T. It does not
// block.
func Progress[T any](ctx context.Context) (progress T, ok bool) {
	info := stepOf(ctx)
	if info.progress == nil {
		return progress, false
	}
	progress, err := decodePayload[T](info.progress)
	return progress, err == nil
}

// superviseStep waits for the end of a step and writes its heartbeats. It cancels the step if they
// stop or ctx ends.
func (r *run) superviseStep(ctx context.Context, a *attempt) error {
	limit := r.policy().Heartbeat
	r.heartbeatErr = nil
	alive := r.e.place.Now()
	late := false
	for {
		left := Forever
		if limit > 0 && !late {
			left = limit - r.e.place.Now().Sub(alive)
		}
		r.e.place.Wait(ctx, a.wake, left)
		beats, over, err := a.takeEvents()
		switch {
		case over && late && err != nil:
			return fmt.Errorf("%w: %w", ErrNoHeartbeat, err)
		case over:
			return err
		case ctx.Err() != nil:
			a.stop(context.Cause(ctx))
			ctx = context.WithoutCancel(ctx)
		}
		for _, b := range beats {
			r.writeHeartbeat(a, b)
			alive = r.e.place.Now()
		}
		if limit > 0 && !late && r.e.place.Now().Sub(alive) >= limit {
			late = true
			a.stop(ErrNoHeartbeat)
		}
	}
}

// writeHeartbeat writes a heartbeat. If the store reports a failure, the write may still have been
// made, and the next write of this run would then conflict with it. So the step is stopped, and
// the run begins again from the stored record; see heartbeatErr.
func (r *run) writeHeartbeat(a *attempt, b *beat) {
	err := r.progress(b.progress)
	switch {
	case err == nil, errors.As(err, new(unsavableError)):
	case !errors.Is(err, ErrCanceled) && !errors.Is(err, ErrConflict) && r.heartbeatErr == nil:
		r.heartbeatErr = err
	}
	b.answer(err)
	if err != nil && !errors.As(err, new(unsavableError)) {
		a.stop(err)
	}
}

// progress writes a heartbeat, and checks for a cancellation.
func (r *run) progress(data []byte) error {
	before := r.doc.Progress
	r.doc.Progress, r.doc.Crashes = data, 0
	mail, err := r.save(Running, r.e.worker, time.Time{})
	if errors.As(err, new(unsavableError)) {
		r.doc.Progress = before
	}
	if err != nil || !mail {
		return err
	}
	if _, err := r.readInbox(); err != nil {
		return err
	}
	if r.doc.Canceled && !r.doc.Undoing {
		return ErrCanceled
	}
	return nil
}
