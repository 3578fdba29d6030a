package job

import (
	"context"
	"time"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/schedulers"
)

// relay is a job that ends as another one does, unless a context or a timer
// ends it before. It knows how to leave: whichever of the three comes first takes the
// other two back.
//
// The promise decides which end is first. Nothing is left behind because of the order
// in which the three are set up: the source, the watch, the timer. Each is followed by
// a look at the promise, and each end takes back what it finds set up:
//
//	setting up                          an end
//	 1. set it up                        1. win the promise
//	 2. say that it is there             2. take back all that is there
//	 3. the promise is won? take it back
//
// The side that does its second step later sees the other's first.
type relay[T any] struct {
	promise Promise[T]
	source  listing[T]
	watch   ctxwatch.Watch
	timer   schedulers.Timer
	ctx     context.Context   // of the watch
	timers  schedulers.Timers // of the timer; nil: it has none
	bounded bool              // see the function
}

// follow has the relay end as j does.
func (r *relay[T]) follow(j *Job[T]) continuation.Chain {
	if !r.source.enter(j, r) {
		return r.Completed(nil)
	}
	if r.ended() {
		r.source.leave()
	}
	return continuation.Chain{}
}

// watchContext tells e when the context of the relay ends.
func (r *relay[T]) watchContext(e ctxwatch.Ender) {
	r.watch.Start(r.ctx, e)
	if r.ended() {
		r.watch.Stop()
	}
}

// watchTime has the relay end after d.
func (r *relay[T]) watchTime(d time.Duration) {
	r.timer.OnExpire = r
	r.timers.StartTimer(&r.timer, d)
	if r.ended() {
		r.timers.StopTimer(&r.timer)
	}
}

func (r *relay[T]) ended() bool { return r.promise.taken() }

// Completed implements continuation.Target: the source has ended.
func (r *relay[T]) Completed(schedulers.Worker) continuation.Chain {
	j := r.source.delivered()
	told, won := r.end(j.Status(), j.value, j.err())
	if won {
		j.observed() // from here on it is the relay's failure
	}
	return told
}

// end ends the relay, unless it has ended. It withdraws what is set up before it
// publishes the outcome: a relay that is seen complete has left nothing behind.
func (r *relay[T]) end(final Status, value T, err error) (told continuation.Chain, won bool) {
	if !r.promise.reserve() {
		return continuation.Chain{}, false
	}
	r.source.leave()
	r.watch.Stop()
	if r.timers != nil {
		r.timers.StopTimer(&r.timer)
	}
	return r.promise.publish(final, value, err), true
}

func (r *relay[T]) waitingJob() (*core, string) { return r.promise.job.base(), "wait" }

// elsewhere reports whether time can end the relay.
func (r *relay[T]) elsewhere() bool {
	return r.timers != nil || r.bounded
}

// ContextEnded implements ctxwatch.Ender.
func (r *relay[T]) ContextEnded(*ctxwatch.Watch) { r.giveUp(contextError(r.ctx)) }

// Expire implements schedulers.Expirer.
func (r *relay[T]) Expire(*schedulers.Timer) { r.giveUp(context.DeadlineExceeded) }

// giveUp ends the relay before its source.
func (r *relay[T]) giveUp(why error) {
	var zero T
	told, _ := r.end(Canceled, zero, &WaitError{Err: why})
	told.Deliver(nil)
}
