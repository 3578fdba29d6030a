package durable

import (
	"context"
	"errors"
	"time"

	"github.com/movenext/movenext/durable/stores"
)

// reviveInterval is the interval at which an engine checks for instances that a worker of an older
// version has found stuck.
const reviveInterval = time.Minute

// foreignInterval is the interval at which an engine counts the instances that it leaves to
// programs that know their layouts, and maxForeign the count at which it stops.
const (
	foreignInterval = 10 * time.Second
	maxForeign      = 1000
)

// countForeign counts the due instances whose layouts no function of this engine knows.
func (e *Engine) countForeign(now time.Time) {
	names := e.functionNames()
	if len(names) == 0 {
		return
	}
	n, err := e.store.Foreign(e.ctx, stores.Taking{Now: now, Functions: names, Steps: e.steps, Layouts: e.layoutKeys(), Limit: maxForeign})
	if err == nil {
		e.counts.foreign.Store(int64(n))
	}
}

// givenUp is the end of the lease of a worker that has stopped in order: what it owned did not
// crash.
var givenUp = time.Unix(1, 0)

// keepLease renews the lease until no instance is running.
func (e *Engine) keepLease() {
	defer close(e.leaseEnded)
	for {
		e.place.Wait(e.ctx, nil, max(e.lease/3, time.Millisecond))
		if e.ctx.Err() != nil {
			return
		}
		if err := e.store.Lease(e.ctx, e.worker, e.now().Add(e.lease)); err != nil && e.ctx.Err() == nil {
			e.log.Error("durable: the lease cannot be renewed; others will continue what runs here", "error", err)
		}
		e.claimSlow()
	}
}

// purge deletes instances that ended long ago.
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

// revive makes stuck instances due if this program knows the layout of their checkpoints. It
// reports whether it has checked all of them.
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
			if err != nil || !f.knows(doc.Layout) || r.Reason != foreignLayout(doc.Layout).Error() && r.Reason != ErrLater.Error() {
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

// makeDue makes a record due now.
func makeDue(r *stores.Record, now time.Time) {
	r.Status, r.Reason, r.Owner, r.Due = Running, "", "", now
}

// release makes an instance without an owner due.
func (e *Engine) release(ctx context.Context, r *stores.Record) error {
	makeDue(r, e.now())
	r.Updated = e.now()
	_, err := e.store.Swap(ctx, r)
	return err
}
