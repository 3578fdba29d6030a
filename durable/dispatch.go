package durable

import (
	"context"
	"errors"
	"time"
)

// reviving is how often an engine looks for instances that another worker, of an older version,
// has found stuck.
const reviving = time.Minute

// serve takes what is due and runs it, and renews the lease, until the engine is shut down.
func (e *Engine) serve() {
	defer e.over()
	revived := map[string]time.Time{}
	var purged time.Time
	for !e.isDraining() {
		for _, name := range e.served() {
			if now := e.now(); now.Sub(revived[name]) > reviving && e.revive(name) {
				revived[name] = now
			}
		}
		if now := e.now(); e.retention > 0 && now.Sub(purged) > time.Minute {
			purged = now
			e.purge(now)
		}
		e.pause(e.take())
	}
}

// take starts what is due, as far as there are free slots, and returns when to look again.
func (e *Engine) take() (next time.Time) {
	now := e.now()
	next = now.Add(e.poll)
	names := e.served()
	free := cap(e.slots) - len(e.slots) // only this goroutine fills them
	if len(names) == 0 || free == 0 || e.client {
		return next // a call of Serve, and a free slot, wake it
	}
	ids, due, err := e.store.Take(e.ctx, Taking{Now: now, Hide: e.lease, Functions: names, Steps: e.steps, Limit: free})
	if err != nil {
		if e.ctx.Err() == nil {
			e.log.Error("durable: the store does not say what is due", "error", err)
		}
		return next
	}
	for _, id := range ids {
		e.slots <- struct{}{}
		e.began()
		e.place.Go(e.ctx, "durable: "+id, func(context.Context) {
			defer e.over()
			defer e.changed()
			defer func() { <-e.slots }()
			e.runInstance(id)
		})
	}
	if !due.IsZero() && due.Before(next) {
		return due
	}
	return next
}

// pause waits until a time, a change or the end. It never waits longer than the poll: the clock
// may have been set back since until was computed.
func (e *Engine) pause(until time.Time) {
	// Shutdown rings too.
	e.place.Wait(context.Background(), e.wake, min(until.Sub(e.now()), e.poll))
}

// keepLease renews the lease until no instance runs any more.
func (e *Engine) keepLease() {
	defer close(e.leased)
	for {
		e.place.Wait(e.ctx, nil, max(e.lease/3, time.Millisecond))
		if e.ctx.Err() != nil {
			return
		}
		if err := e.store.Lease(e.ctx, e.worker, e.now().Add(e.lease)); err != nil && e.ctx.Err() == nil {
			e.log.Error("durable: the lease cannot be renewed; others will continue what runs here", "error", err)
		}
	}
}

// purge deletes what has ended long ago.
func (e *Engine) purge(now time.Time) {
	const batch = 1000
	for {
		n, err := e.store.Purge(e.ctx, now.Add(-e.retention), batch)
		if err != nil {
			e.log.Error("durable: ended instances cannot be deleted", "error", err)
		}
		if err != nil || n < batch {
			return
		}
	}
}

// revive makes instances due that are stuck, if this program knows the layout that they were
// saved with. It reports whether it has looked at all.
func (e *Engine) revive(name string) bool {
	f := e.function(name)
	after := ""
	for {
		list, err := e.store.List(e.ctx, Filter{Function: name, Status: Stuck, After: after})
		if err != nil {
			return false
		}
		for _, r := range list {
			after = r.ID
			doc, err := open(r.State)
			if err != nil || !f.knows(doc.Layout) || r.Reason != unknownLayout(doc.Layout) && r.Reason != ErrLater.Error() {
				continue
			}
			if err := e.release(e.ctx, r); err != nil && !errors.Is(err, ErrConflict) {
				return false
			}
		}
		if len(list) == 0 {
			return true
		}
	}
}

// release makes a record due now.
func (r *Record) release(now time.Time) { r.Status, r.Reason, r.Owner, r.Due = Running, "", "", now }

// release makes an instance due that nothing holds.
func (e *Engine) release(ctx context.Context, r *Record) error {
	r.release(e.now())
	r.Updated = e.now()
	_, err := e.store.Swap(ctx, r)
	return err
}
