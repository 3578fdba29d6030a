package statemachine

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Sleeping is a sleep that a machine waits for. Of a million machines that sleep each has one, so it is as small
// as can be: 32 bytes, where the job of a sleep has 96. Its timer is armed when the machine's frames lie where they
// stay, and calls the chain itself: an expiry finds nobody who has still to join, and so there is nothing to decide.
type Sleeping struct{ timer schedulers.Timer }

// Sleep is job.Sleep as generated machines call it.
func Sleep(t *Task, ctx context.Context, d time.Duration) (*Sleeping, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if ctx.Err() != nil {
		return nil, ctxwatch.Reason(ctx)
	}
	if d <= 0 {
		return nil, nil
	}
	timers := job.Timers(ctx)
	if ctx.Done() != nil {
		return sleepGuarded(t, ctx, timers, d), nil
	}
	s := new(Sleeping)
	s.timer.When = int64(d) // its own until it is armed
	t.awaiting, t.timers = s, timers
	return s, nil
}

// arm begins the sleep, at whose end c goes on, and returns true. The timers may be a user's code: if they panic or call
// runtime.Goexit, that happens in the function that sleeps, as it would have if it had called them itself.
func (t *Task) arm(s *Sleeping, c *chain) (armed bool) {
	defer func() {
		if armed {
			return
		}
		if v := recover(); v != nil {
			t.outcome = t.newPanic(v)
			return
		}
		c.submitWith(&outcome{goexit: true}, schedulers.Hint{From: t.Worker(), Flags: schedulers.Resumed})
	}()
	s.timer.OnExpire = c
	t.timers.StartTimer(&s.timer, time.Duration(s.timer.When))
	return true
}

// Results returns nil, or why the sleep has ended early, when the machine goes on. It is called once.
func (s *Sleeping) Results(t *Task) error {
	if err := t.Refusal(); err != nil {
		return err
	}
	if g, ok := s.timer.OnExpire.(*guardedSleeping); ok {
		return g.err
	}
	return nil
}

// guardedSleeping is a sleep whose context can end.
//
// Three may meet here: the machine that arms the timer, the timer that expires, the context that ends. ended decides
// between the last two. The first is handled by its order: the watch is started before the timer is armed, so that an expiry
// finds a watch to stop; and after arming the machine looks whether the context has ended meanwhile, since that would have
// found no timer to stop.
type guardedSleeping struct {
	Sleeping
	Operation
	ended  atomic.Bool
	ctx    context.Context
	watch  ctxwatch.Watch
	timers schedulers.Timers
	err    error
}

func sleepGuarded(t *Task, ctx context.Context, timers schedulers.Timers, d time.Duration) *Sleeping {
	g := &guardedSleeping{ctx: ctx, timers: timers}
	g.timer.OnExpire = g
	t.Suspend(g)
	g.watch.Start(ctx, g)
	timers.StartTimer(&g.timer, d)
	if g.ended.Load() {
		timers.StopTimer(&g.timer)
	}
	return &g.Sleeping
}

// Expire implements schedulers.Expirer.
func (g *guardedSleeping) Expire(*schedulers.Timer) {
	if g.ended.CompareAndSwap(false, true) {
		g.watch.Stop()
		g.Complete().Deliver(nil)
	}
}

// ContextEnded implements ctxwatch.Ender.
func (g *guardedSleeping) ContextEnded(*ctxwatch.Watch) {
	why := ctxwatch.Reason(g.ctx) // the context may be a user's code: ask it before there is anything to lose
	if g.ended.CompareAndSwap(false, true) {
		g.timers.StopTimer(&g.timer)
		g.err = why
		g.Complete().Deliver(nil)
	}
}
