package job

import (
	"context"
	"time"

	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/schedulers"
)

// Sleep pauses for d, or until ctx ends; it returns nil, or why ctx ended. A d
// of zero or less does not pause. It blocks; its twin is [SleepAsync].
func Sleep(ctx context.Context, d time.Duration) error {
	if ctx == nil {
		ctx = context.Background()
	}
	_, err := SleepAsync(ctx, d).Wait(context.WithoutCancel(ctx))
	return err
}

// SleepAsync returns a job that completes after d, or is Canceled when ctx ends. No
// goroutine is held meanwhile. The time is that of ctx's scheduler, if that has
// [schedulers.Timers], else the world's. It does not block.
func SleepAsync(ctx context.Context, d time.Duration) *Job[Void] {
	if ctx == nil {
		ctx = context.Background()
	}
	if ctx.Err() != nil {
		return ended(Canceled, Void{}, contextError(ctx))
	}
	if d <= 0 {
		return FromResult(Void{})
	}
	s := &sleep{}
	s.promise.Init()
	s.timer.OnExpire = s
	s.timers = timersOf(ctx)
	s.begin(ctx, d)
	return s.promise.Job()
}

// sleep is a job, its timer, and its watch over the context, in one allocation.
//
// Three goroutines may meet here: the sleeper that arms, the timer that expires, the
// context that ends. The promise decides between the last two. The first is handled by its order: the
// watch is started before the timer is armed, so that an expiry finds a
// watch to stop; and after arming the sleeper looks whether the context has ended
// meanwhile, since it would have found no timer to stop.
type sleep struct {
	promise Promise[Void]
	timer   schedulers.Timer
	watch   ctxwatch.Watch
	timers  schedulers.Timers
	ctx     context.Context
}

func (s *sleep) begin(ctx context.Context, d time.Duration) {
	if ctx.Done() != nil {
		s.ctx = ctx
		s.watch.Start(ctx, s)
	}
	s.timers.StartTimer(&s.timer, d)
	if s.promise.taken() {
		s.timers.StopTimer(&s.timer)
	}
}

// Expire implements schedulers.Expirer.
func (s *sleep) Expire(*schedulers.Timer) {
	if s.promise.reserve() {
		s.watch.Stop()
		s.promise.publish(Completed, Void{}, nil).Deliver(nil)
	}
}

// ContextEnded implements ctxwatch.Ender.
func (s *sleep) ContextEnded(*ctxwatch.Watch) {
	why := contextError(s.ctx) // the context may be a user's code: ask it before there is anything to lose
	if s.promise.reserve() {
		s.timers.StopTimer(&s.timer)
		s.promise.publish(Canceled, Void{}, why).Deliver(nil)
	}
}
