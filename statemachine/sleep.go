package statemachine

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// sleeping is a sleep that a machine waits for. Of a million machines that sleep each has one, so it is as small
// as can be: 32 bytes, where the job of a sleep has 96, and its machine does not even know it. Its timer is armed when the machine's frames lie where they
// stay, and calls the chain itself: an expiry finds nobody who has still to join, and so there is nothing to decide.
type sleeping struct{ timer schedulers.Timer }

// Sleep is job.Sleep as generated machines call it. It reports whether the machine has to suspend; if so, [Task.Refusal] returns what
// job.Sleep would have, when the machine goes on.
func Sleep(t *Task, ctx context.Context, d time.Duration) (asleep bool, err error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if ctx.Err() != nil {
		return false, ctxwatch.Reason(ctx)
	}
	if d <= 0 {
		return false, nil
	}
	timers := job.Timers(ctx)
	if ctx.Done() != nil {
		g := &guardedSleeping{ctx: ctx}
		g.timer.When = int64(d)
		t.awaiting, t.timers = g, timers
		return true, nil
	}
	s := new(sleeping)
	s.timer.When = int64(d)
	t.awaiting, t.timers = s, timers
	return true, nil
}

// length returns how long the sleep is, which lies in the timer until that is armed. Timers may ask a Timer whether it is.
func (s *sleeping) length() time.Duration {
	d := s.timer.When
	s.timer.When = 0
	return time.Duration(d)
}

// arm begins the sleep, at whose end c goes on, and returns true. The timers may be a user's code: if they panic or call
// runtime.Goexit, that happens in the function that sleeps, as it would have if it had called them itself.
func (t *Task) arm(s *sleeping, c *chain) (armed bool) {
	defer func() {
		if !armed {
			t.disarmed(c, recover())
		}
	}()
	d := s.length()
	s.timer.OnExpire = c
	t.timers.StartTimer(&s.timer, d)
	return true
}

// disarmed has c go on after a sleep that could not begin, since that has panicked with v, or called runtime.Goexit if v is nil.
func (t *Task) disarmed(c *chain, v any) {
	if v != nil {
		t.outcome = t.newPanic(v)
		return
	}
	c.submitWith(&outcome{goexit: true}, schedulers.Hint{From: t.Worker(), Flags: schedulers.Resumed})
}

// guardedSleeping is a sleep whose context can end.
//
// Three may meet here: the machine that arms the timer, the timer that expires, the context that ends. ended decides
// between the last two. The first is handled by its order: the watch is started before the timer is armed, so that an expiry
// finds a watch to stop; and after arming the machine looks whether the context has ended meanwhile, since that would have
// found no timer to stop. From the start of the watch on, the chain may be somebody else's.
type guardedSleeping struct {
	sleeping
	ended  atomic.Bool
	ctx    context.Context
	watch  ctxwatch.Watch
	timers schedulers.Timers
	of     *chain // until it goes on
	err    error  // why the sleep has ended early
}

// armGuarded is arm for a sleep whose context can end. If that has happened when the timers panic, the machine goes on with it already, and
// nobody is left to panic.
func (t *Task) armGuarded(g *guardedSleeping, c *chain) (armed bool) {
	defer func() {
		if armed {
			return
		}
		v := recover()
		if armed = !g.end(); !armed {
			g.watch.Stop()
			t.disarmed(c, v)
		}
	}()
	d := g.length()
	g.of, g.timers, g.timer.OnExpire = c, t.timers, g
	g.watch.Start(g.ctx, g)
	g.timers.StartTimer(&g.timer, d)
	if g.ended.Load() {
		g.timers.StopTimer(&g.timer)
	}
	return true
}

// end reports whether this call was the first.
func (g *guardedSleeping) end() bool { return g.ended.CompareAndSwap(false, true) }

// Expire implements schedulers.Expirer.
func (g *guardedSleeping) Expire(t *schedulers.Timer) {
	if g.end() {
		g.watch.Stop()
		g.leave().Expire(t)
	}
}

// leave returns the chain, which whoever still has the timer must not keep alive.
func (g *guardedSleeping) leave() *chain {
	c := g.of
	g.of = nil
	return c
}

// ContextEnded implements ctxwatch.Ender.
func (g *guardedSleeping) ContextEnded(*ctxwatch.Watch) {
	why := ctxwatch.Reason(g.ctx) // the context may be a user's code: ask it before there is anything to lose
	if g.end() {
		g.timers.StopTimer(&g.timer)
		g.err = why
		if err := schedulers.TrySubmit(g.of.top.home, g, schedulers.Hint{Flags: schedulers.Resumed}); err != nil {
			g.Abandon(err)
		}
	}
}

// Run implements schedulers.Work: the chain goes on, and its top frame is told why. A context that ends may end a million sleeps: what that
// takes is made when it is their turn.
func (g *guardedSleeping) Run(on schedulers.Worker) {
	var news *outcome
	if g.err != nil { // else it has ended without a reason, as only a context that breaks its contract does
		news = &outcome{refusal: g.err}
	}
	(&bearer{g.leave(), news}).Run(on)
}

// Abandon implements schedulers.Work. What the frame is to be told is more than that home has ended.
func (g *guardedSleeping) Abandon(error) { go g.Run(nil) }
