package retry

import (
	"context"

	"github.com/movenext/movenext/job"
)

// Hedge calls op, and again after each pause of policy for as long as no call has succeeded: it is
// a [Do] that does not wait for a call to fail. The first success counts. Then the contexts of the
// other calls end, and Hedge does not wait for these calls. Choose a first pause that only one
// call in twenty exceeds, so that the server gets few calls more.
//
// A failure changes nothing, unless it ends all attempts, as in Do; if all calls have failed, the
// error is that of the last one to fail, as in Do. If ctx ends, the error is the reason. [Notify]
// and [After] have no effect.
//
// Each call is a job of ctx's scheduler. So if op panics or calls runtime.Goexit, the error is
// that of the job, and is returned at once.
//
// It blocks; its twin is HedgeAsync.
//
//movenext:async
func Hedge[T any](ctx context.Context, policy Policy, op func(context.Context) (T, error), opts ...Option) (T, error) {
	ctx, cancel := context.WithCancel(orBackground(ctx))
	defer cancel()
	h := hedge[T]{series: begin(ctx, policy, opts), timer: job.FromResult(job.Void{})}
	for {
		if h.isDue() {
			h.add(ctx, job.Run(ctx, func(ctx context.Context) (answer[T], error) {
				v, err := op(ctx)
				return answer[T]{v, err}, nil // the failure of a call that has lost is nobody's
			}))
		}
		if last, hasEnded := h.outcome(ctx); hasEnded {
			return last.v, last.err
		}
		if _, err := job.WaitAsync(ctx, job.WhenAnyOf(h.waits()...)).Await(); err != nil && ctx.Err() == nil {
			return *new(T), err
		}
	}
}

// answer is what a call has returned.
type answer[T any] struct {
	v   T
	err error
}

// hedge is one call of Hedge.
type hedge[T any] struct {
	*series

	running []*job.Job[answer[T]]
	timer   *job.Job[job.Void] // ends when another call is due; nil: there is no other one
	failed  answer[T]          // the last failure
}

// isDue reports whether another call is to start now.
func (h *hedge[T]) isDue() bool {
	if h.timer == nil || h.timer.Status() != job.Completed {
		return false
	}
	h.timer = nil
	return h.calls == 0 || h.spend()
}

// add counts a call that has started, and determines when the next one is due.
func (h *hedge[T]) add(ctx context.Context, call *job.Job[answer[T]]) {
	h.running = append(h.running, call)
	h.calls++
	if pause := h.pause(ctx, nil); pause >= 0 {
		h.timer = job.SleepAsync(ctx, pause)
	}
}

// outcome returns the answer that counts, if there is one, and forgets calls that have failed.
func (h *hedge[T]) outcome(ctx context.Context) (last answer[T], hasEnded bool) {
	var running []*job.Job[answer[T]]
	for _, call := range h.running {
		if !call.IsCompleted() {
			running = append(running, call)
			continue
		}
		a, err := call.GetResult()
		if err != nil {
			return answer[T]{err: err}, true
		}
		if a.err == nil || ctx.Err() == nil && h.isFinal(a.err) {
			return answer[T]{a.v, unmarked(a.err)}, true
		}
		h.failed = a
	}
	h.running = running
	if ctx.Err() != nil {
		return answer[T]{err: reason(ctx)}, true
	}
	if len(running) == 0 && h.timer == nil {
		return answer[T]{h.failed.v, h.givenUp(h.failed.err)}, true
	}
	return last, false
}

// waits returns what can make a difference when it ends.
func (h *hedge[T]) waits() []job.Handle {
	var waits []job.Handle
	if h.timer != nil {
		waits = append(waits, h.timer)
	}
	for _, call := range h.running {
		waits = append(waits, call)
	}
	return waits
}
