package statemachine

import (
	"context"
	"time"

	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/schedulers"
)

// sleeping is what a machine waits for that sleeps under a context that cannot end. Each of a
// million sleeping machines has such a sleep, so it has no memory of its own: its length is
// [Run].pause until the machine's frames have reached their final place, and then its expiry calls
// the chain itself. An expiry cannot race with a pending join, so nothing has to be decided. The
// job of a sleep has 96 bytes.
type sleeping struct{}

var inBed any = sleeping{}

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
	r.clock, r.pause, r.awaiting = ambient.Home(ctx), d, inBed
	if ctxwatch.OriginOf(ctx).CanEnd() {
		r.awaiting = &guardedSleeping{ctx: ctx}
	}
	return true, nil
}

// arm begins the sleep, at whose end c continues, and returns true. The timers may be
// user code: their panic or runtime.Goexit happens in the function that sleeps, as if
// that had called them itself.
func (r *Run) arm(c *chain) (armed bool) {
	if q := ambient.Sleeps(r.clock); q != nil {
		q.StartSleep(c, r.pause)
		return true
	}
	returned := false
	defer func() {
		if !returned {
			r.exitInWait(c)
		}
	}()
	armed = r.try(func() { ambient.Timers(r.clock).StartTimer(&schedulers.Timer{OnExpire: c}, r.pause) })
	returned = true
	if !armed {
		r.locateTried()
	}
	return armed
}

// guardedSleeping is a sleep whose context can end.
//
// Three parties may race here: the machine that arms the timer, the expiry of the timer,
// and the end of the context. The watch decides between the last two:
//
//	the machine                 the expiry                  the end of the context
//	 1. start the watch          1. stop the watch; in       1. stop the timer
//	 2. arm the timer               vain: return             2. submit the sleep
//	 3. no watch any more:       2. submit the chain
//	    stop the timer
//
// Proof. [ctxwatch.Watch.Stop] succeeds, or ContextEnded is called, but not both, and the timer
// expires at most once. The expiry finds a watch that has been started, since the machine arms the
// timer after that. An end of the context that comes before the machine's step 2 finds no timer to
// stop, but then the machine's step 3 finds no watch. From its step 1 on, the chain may belong to
// another goroutine.
//
// A million of them may be asleep at once, so each word counts: it has no flag that decides, and
// its timers are those of the chain's home. A sleep that has ended early asks its context for the
// reason when its turn has come, so that no method of the context can lose it: 96 bytes.
type guardedSleeping struct {
	timer schedulers.Timer
	watch ctxwatch.Watch
	chain *chain // until it continues
	ctx   context.Context
}

// guardedElsewhere is a guardedSleeping with the timers of another home: of a function that sleeps
// under the context of another scheduler than its own.
type guardedElsewhere struct {
	guardedSleeping
	clock *schedulers.Home
}

// armGuarded is arm for a sleep whose context can end.
func (r *Run) armGuarded(g *guardedSleeping, c *chain) bool {
	if home := c.top.home; r.clock == home || dispatch.Same(r.clock, home) {
		return r.guard(g, g, c)
	}
	e := &guardedElsewhere{guardedSleeping: guardedSleeping{ctx: g.ctx}, clock: r.clock}
	return r.guard(&e.guardedSleeping, e, c)
}

// guard begins the sleep g, the end of whose context is told to l, and returns true. If the
// context has ended when the timers panic, the machine already continues with that end, and there
// is no function left to panic in. A watch whose Start has panicked is never told of the end.
func (r *Run) guard(g *guardedSleeping, l ctxwatch.Listener, c *chain) (armed bool) {
	watched, endless, returned := false, false, false
	isHere := func() bool { stopped := g.watch.Stop(); return stopped || !watched }
	defer func() {
		if !returned && isHere() {
			r.exitInWait(c)
		}
	}()
	ok := r.try(func() {
		timers := ambient.Timers(r.clock)
		g.chain, g.timer.OnExpire = c, g
		if endless = !g.watch.Start(g.ctx, l); endless { // it has changed its mind
			return
		}
		watched = true
		timers.StartTimer(&g.timer, r.pause)
		if !g.watch.Started() {
			timers.StopTimer(&g.timer)
		}
	})
	returned = true
	switch {
	case ok && endless:
		return r.arm(c)
	case ok:
		return true
	case isHere():
		r.locateTried()
		return false
	}
	r.failure = nil
	return true
}

// Expire implements schedulers.Expirer.
func (g *guardedSleeping) Expire(t *schedulers.Timer) {
	if g.watch.Stop() {
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
func (g *guardedSleeping) ContextEnded(*ctxwatch.Watch) { g.endEarly(g.chain.top.home) }

// ContextEnded implements ctxwatch.Listener.
func (g *guardedElsewhere) ContextEnded(*ctxwatch.Watch) { g.endEarly(g.clock) }

// endEarly ends the sleep, whose timer is armed at clock or about to be.
func (g *guardedSleeping) endEarly(clock *schedulers.Home) {
	ambient.Timers(clock).StopTimer(&g.timer)
	if probe.On(probe.Resumptions) {
		g.chain.leave()
	}
	if err := g.chain.top.home.TrySubmit(g, schedulers.Hint{Flags: schedulers.Resumed}); err != nil {
		g.Abandon(err)
	}
}

// Run implements schedulers.Work: the chain continues, and its top frame gets the
// reason. The end of one context may end a million sleeps, so the failure of each is
// allocated only when its turn comes.
func (g *guardedSleeping) Run(worker schedulers.Worker) { g.takeChain().runEnded(g.ctx, worker) }

// runEnded runs c, whose top frame gets the reason why ctx has ended.
func (c *chain) runEnded(ctx context.Context, worker schedulers.Worker) {
	asked := false
	defer func() {
		if !asked { // a method of the context has called runtime.Goexit
			go (&delivery{c, &failure{goexit: true}}).Run(nil)
		}
	}()
	var news *failure
	if err := ctxwatch.Reason(ctx); err != nil { // nil: a context that breaks its contract
		news = &failure{refusal: err}
	}
	asked = true
	(&delivery{c, news}).Run(worker)
}

// Abandon implements schedulers.Work. The frame gets the reason, and not only the error
// that the home has ended.
func (g *guardedSleeping) Abandon(error) { go g.Run(nil) }
