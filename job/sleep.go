package job

import (
	"context"
	"time"

	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/schedulers"
)

// Sleep pauses for d, or until ctx ends; it returns nil, or the reason why ctx ended. A
// d of zero or less does not pause. It blocks; its twin is [SleepAsync].
func Sleep(ctx context.Context, d time.Duration) error {
	if ctx == nil {
		ctx = context.Background()
	}
	known, s := startSleep(ctx, d)
	if known != nil {
		return known.Err()
	}
	defer s.leave()
	_, err := s.promise.job.Wait(context.WithoutCancel(ctx))
	return err
}

// SleepAsync returns a job that completes after d, or is Canceled when ctx ends. No
// goroutine is held meanwhile. The time is that of ctx's scheduler, if that has
// [schedulers.Timers], else real time.
func SleepAsync(ctx context.Context, d time.Duration) *Job[Void] {
	if ctx == nil {
		ctx = context.Background()
	}
	known, s := startSleep(ctx, d)
	if known != nil {
		return known
	}
	return &s.promise.job
}

// startSleep returns the job of a sleep that is over before it begins, or the sleep.
func startSleep(ctx context.Context, d time.Duration) (known *Job[Void], s *sleep) {
	if ctx.Err() != nil {
		return newCompleted(Canceled, Void{}, contextError(ctx)), nil
	}
	if d <= 0 {
		return FromResult(Void{}), nil
	}
	s = newSleep(ctx)
	s.timers = timersOf(ctx)
	s.begin(d)
	return nil, s
}

// sleep is a job and its timer, in one allocation.
//
// Three goroutines may race here: the sleeper that arms the timer, the expiry of the
// timer, and the end of the context. The promise decides between the last two. The
// sleeper relies on its order: it starts the watch before it arms the timer, so that an
// expiry finds a watch to stop. After arming the timer it checks whether the context has
// ended meanwhile, since that end would have found no timer to stop.
type sleep struct {
	promise promise[Void]
	timer   schedulers.Timer
	timers  schedulers.Timers
	guard   *guard // nil: the context cannot end
}

// guardedSleep is a sleep whose context can end, also in one allocation. In a program
// with a million sleepers, typically most have such a context or none has; sleepers
// without one need a third less memory as a plain sleep.
type guardedSleep struct {
	sleep
	watching guard
}

// guard watches a sleeper's context.
type guard struct {
	watch ctxwatch.Watch
	ctx   context.Context
	sleep *sleep
}

func newSleep(ctx context.Context) *sleep {
	var s *sleep
	if !ctxwatch.OriginOf(ctx).CanEnd() {
		s = &sleep{}
	} else {
		g := &guardedSleep{}
		s = &g.sleep
		g.watching.ctx, g.watching.sleep, s.guard = ctx, s, &g.watching
	}
	s.promise.job.core.init()
	s.timer.OnExpire = s
	return s
}

func (s *sleep) begin(d time.Duration) {
	if g := s.guard; g != nil {
		g.watch.Start(g.ctx, g)
	}
	s.timers.StartTimer(&s.timer, d)
	if s.promise.job.core.taken() {
		s.timers.StopTimer(&s.timer)
	}
}

// Expire implements schedulers.Expirer.
func (s *sleep) Expire(*schedulers.Timer) {
	if s.promise.job.core.reserve() {
		if s.guard != nil {
			s.guard.watch.Stop()
		}
		publish(&s.promise, Completed, Void{}, nil).Deliver(nil)
	}
}

// leave ends a sleep whose wait is over. Usually it has ended; not if the wait was refused, or
// is unwound.
func (s *sleep) leave() {
	if !s.promise.job.core.reserve() {
		return
	}
	s.timers.StopTimer(&s.timer)
	if s.guard != nil {
		s.guard.watch.Stop()
	}
	publish(&s.promise, Canceled, Void{}, context.Canceled).Deliver(nil)
}

// ContextEnded implements ctxwatch.Listener.
func (g *guard) ContextEnded(*ctxwatch.Watch) {
	whenEnded(g.ctx, g.end) // its call of the context comes before the promise is won
}

// end ends the sleep early.
func (g *guard) end(why error) {
	if s := g.sleep; s.promise.job.core.reserve() {
		s.timers.StopTimer(&s.timer)
		publish(&s.promise, Canceled, Void{}, why).Deliver(nil)
	}
}
