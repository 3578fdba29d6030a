package statemachine

import (
	"context"
	"time"

	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/tracking"
	"github.com/movenext/movenext/schedulers"
)

// sleeping is a sleep that a machine waits for. Each of a million sleeping machines has
// one, so it is as small as possible: 32 bytes, where the job of a sleep has 96, and its
// machine has no pointer to it. Its timer is armed when the machine's frames have
// reached their final place, and its expiry calls the chain itself: an expiry cannot
// race with a pending join, so nothing has to be decided.
type sleeping struct{ timer schedulers.Timer }

// Sleep is job.Sleep as generated machines call it. It reports whether the machine has to
// suspend; if so, [Run.Refusal] returns the result of job.Sleep when the machine continues.
func Sleep(r *Run, ctx context.Context, d time.Duration) (asleep bool, err error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if ctx.Err() != nil {
		return r.skipSleep(ctxwatch.Reason(ctx))
	}
	if d <= 0 {
		return r.skipSleep(nil)
	}
	home := ambient.Home(ctx)
	timers := ambient.Timers(home)
	if ctx.Done() != nil {
		g := &guardedSleeping{home: home, why: ctx}
		g.timer.When = int64(d)
		r.awaiting, r.timers = g, timers
		return true, nil
	}
	s := new(sleeping)
	s.timer.When = int64(d)
	r.awaiting, r.timers = s, timers
	return true, nil
}

// length returns the duration of the sleep, which is stored in the timer until the timer
// is armed. It clears the field, since timers may check whether a Timer is armed.
func (s *sleeping) length() time.Duration {
	d := s.timer.When
	s.timer.When = 0
	return time.Duration(d)
}

// expected returns the length of a sleep that is not armed, for a report.
func (s *sleeping) expected() tracking.Sleep { return tracking.Sleep(s.timer.When) }

// arm begins the sleep, at whose end c continues, and returns true. The timers may be
// user code: their panic or runtime.Goexit happens in the function that sleeps, as if
// that had called them itself.
func (r *Run) arm(s *sleeping, c *chain) (armed bool) {
	defer func() {
		if !armed {
			r.abandonSleep(c, recover())
		}
	}()
	d := s.length()
	s.timer.OnExpire = c
	r.timers.StartTimer(&s.timer, d)
	return true
}

// abandonSleep lets c continue after a sleep that could not begin, because arming panicked
// with v, or called runtime.Goexit if v is nil.
func (r *Run) abandonSleep(c *chain, v any) {
	if v != nil {
		r.failure = r.newPanic(v)
		return
	}
	c.submitWith(&failure{goexit: true}, schedulers.Hint{From: r.Worker(), Flags: schedulers.Resumed})
}

// guardedSleeping is a sleep whose context can end.
//
// Three parties may race here: the machine that arms the timer, the expiry of the timer,
// and the end of the context. ended decides between the last two. The machine relies on
// its order: it starts the watch before it arms the timer, so that an expiry finds a
// watch to stop. After arming the timer it checks whether the context has ended
// meanwhile, since that end would have found no timer to stop. From the start of the
// watch on, the chain may belong to another goroutine.
//
// A million of them may be asleep at once, so each word counts. The timers are those of
// the home. When the sleep has ended early, the context is no longer needed, so the
// reason is stored in its place: 112 bytes instead of 144.
type guardedSleeping struct {
	sleeping
	watch ctxwatch.Watch
	home  *schedulers.Home
	chain *chain // until it continues
	why   any    // the context; when the sleep has ended early, an error, or nil
	ended interleave.Bool
}

// armGuarded is arm for a sleep whose context can end. If the context has ended when the
// timers panic, the machine already continues with that end, and there is no function
// left to panic in.
func (r *Run) armGuarded(g *guardedSleeping, c *chain) (armed bool) {
	defer func() {
		if armed {
			return
		}
		v := recover()
		if armed = !g.end(); !armed {
			g.watch.Stop()
			r.abandonSleep(c, v)
		}
	}()
	d := g.length()
	ctx, timers := g.why.(context.Context), r.timers
	g.chain, g.timer.OnExpire = c, g
	g.watch.Start(ctx, g)
	timers.StartTimer(&g.timer, d)
	if g.ended.Load() {
		timers.StopTimer(&g.timer)
	}
	return true
}

// end reports whether this call was the first.
func (g *guardedSleeping) end() bool { return g.ended.CompareAndSwap(false, true) }

// Expire implements schedulers.Expirer.
func (g *guardedSleeping) Expire(t *schedulers.Timer) {
	if g.end() {
		g.watch.Stop()
		g.takeChain().Expire(t)
	}
}

// takeChain returns the chain and clears the field: a holder of the timer must not keep the
// chain alive.
func (g *guardedSleeping) takeChain() *chain {
	c := g.chain
	g.chain = nil
	return c
}

// ContextEnded implements ctxwatch.Listener.
func (g *guardedSleeping) ContextEnded(*ctxwatch.Watch) {
	ctx, _ := g.why.(context.Context) // only this reads it once the watch has started
	reason := ctxwatch.Reason(ctx)    // may run user code: ask before there is anything to lose
	if g.end() {
		ambient.Timers(g.home).StopTimer(&g.timer)
		g.why = reason
		if g.chain.untrack() {
			g.chain.tell(tracking.Life{Moment: tracking.Resumed})
		}
		if err := g.chain.top.home.TrySubmit(g, schedulers.Hint{Flags: schedulers.Resumed}); err != nil {
			g.Abandon(err)
		}
	}
}

// Run implements schedulers.Work: the chain continues, and its top frame gets the
// reason. The end of one context may end a million sleeps, so the failure of each is
// allocated only when its turn comes.
func (g *guardedSleeping) Run(worker schedulers.Worker) {
	var news *failure
	if err, ok := g.why.(error); ok { // else no reason: only a context that breaks its contract
		news = &failure{refusal: err}
	}
	(&delivery{g.takeChain(), news}).Run(worker)
}

// Abandon implements schedulers.Work. The frame gets the reason, and not only the error
// that the home has ended.
func (g *guardedSleeping) Abandon(error) { go g.Run(nil) }
