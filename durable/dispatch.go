package durable

import (
	"context"
	"time"

	"github.com/movenext/movenext/durable/stores"
)

// serve takes due instances and runs them until the engine is shut down.
func (e *Engine) serve() {
	defer e.endRun()
	revived := map[string]time.Time{}
	var purged, counted time.Time
	for !e.isDraining() {
		for _, name := range e.functionNames() {
			if now := e.now(); now.Sub(revived[name]) > reviveInterval && e.revive(name) {
				revived[name] = now
			}
		}
		if now := e.now(); e.retention > 0 && now.Sub(purged) > time.Minute {
			purged = now
			e.purge(now)
		}
		if now := e.now(); !e.client && now.Sub(counted) > foreignInterval {
			counted = now
			e.countForeign(now)
		}
		e.pause(e.take())
	}
}

// # Taking
//
// Due instances are taken in batches, since one call of the store costs as much for a hundred
// instances as for a few. Two rules make calls take more when many are due, and cost nothing when
// few are:
//
//   - After a call that has taken all permits, the next call waits until some of them are free,
//     while the other instances run. It waits at most 16 times as long as the call took, since
//     long steps may hold the other permits.
//   - After any other call, the engine waits as long as the call took. So it spends at most half
//     of its time in calls, however often it is notified that an instance may be due.

const (
	minFreeDivisor = 4  // one in so many permits has to be free
	maxDelayFactor = 16 // times the duration of the call
)

// lastTake is the outcome of the last Take that determines when the next one starts.
type lastTake struct {
	usedAllPermits bool
	ended          time.Time
	took           time.Duration
}

// shouldDefer reports whether the next Take should wait for more free permits.
func (a lastTake) shouldDefer(now time.Time, free, permits int) bool {
	since := now.Sub(a.ended) // negative: the clock was set back
	return a.usedAllPermits && free*minFreeDivisor < permits && 0 <= since && since < maxDelayFactor*a.took
}

// take starts due instances as free permits allow, and returns when to check again.
func (e *Engine) take() (next time.Time) {
	now := e.now()
	next = now.Add(e.poll)
	free := cap(e.permits) - len(e.permits) // only this goroutine fills them
	switch {
	case free == 0:
		return next // a free permit wakes it
	case e.lastTake.shouldDefer(now, free, cap(e.permits)):
		return e.lastTake.ended.Add(maxDelayFactor * e.lastTake.took)
	}
	names := e.functionNames()
	if len(names) == 0 || e.client {
		return next // a call of Serve wakes it
	}
	list, due, err := e.store.Take(e.ctx, stores.Taking{Now: now, Hide: e.lease, Functions: names, Steps: e.steps, Layouts: e.layoutKeys(), Limit: free})
	if err != nil {
		if e.ctx.Err() == nil {
			e.log.Error("durable: the store does not say what is due", "error", err)
		}
		return next
	}
	for _, t := range list {
		if e.beginTaken(t.ID) > 1 {
			t.Lost = 0 // a message has made it due again before its run has begun: nobody has died
		}
		e.permits <- struct{}{}
		e.addRun()
		e.place.Go(e.ctx, "durable: "+t.ID, func(context.Context) {
			defer e.endRun()
			defer e.wakeDispatcher()
			defer func() { <-e.permits }()
			defer e.endTaken(t.ID)
			e.runInstance(&t)
		})
	}
	ended := e.now()
	e.lastTake = lastTake{len(list) == free, ended, ended.Sub(now)}
	if !e.lastTake.usedAllPermits && e.lastTake.took > 0 {
		e.place.Wait(e.ctx, e.draining, min(e.lastTake.took, e.poll))
	}
	if !due.IsZero() && due.Before(next) {
		return due
	}
	return next
}

// beginTaken counts a taking of an instance by this engine, and returns how many of them have not
// ended. endTaken ends one.
func (e *Engine) beginTaken(id string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.taken[id]++
	return e.taken[id]
}

func (e *Engine) endTaken(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.taken[id]--; e.taken[id] == 0 {
		delete(e.taken, id)
	}
}

// pause waits until a time, a change or the engine's end. It never waits longer than the poll
// interval: the clock may have been set back since until was computed.
func (e *Engine) pause(until time.Time) {
	// Shutdown also wakes it.
	e.place.Wait(context.Background(), e.wake, min(until.Sub(e.now()), e.poll))
}
