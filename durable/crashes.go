package durable

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/movenext/movenext/durable/stores"
)

// # Crashes
//
// An instance that kills its process would take worker after worker along: each takes it, dies,
// and leaves it to the next. So crashed attempts are counted, and after a few the instance is
// stuck. There are two traces of a crash. A record that has an owner whose lease has run out was
// running there. A record without an owner that was taken and then not written was about to run:
// the store counts that (see Lost in [stores.Taken]).
//
// All instances that were running in a process share its crash, and only one of them is to
// blame. After two crashes an instance is suspected, and an engine runs only one suspect at a
// time, so that innocent ones soon move on, which clears them.
//
// Code between points that takes long looks like a crash to the store, which hides a taken
// instance only for a while. So a run that has written nothing for a third of the lease claims
// its record. It does so at once if the record has an owner. The takings of such a record do
// not count: they may be those of that owner, if it lives but has lost its lease. Without the
// claim, a run that dies early would leave the record with its former owner, and the next
// worker would count the same one crash again and again.

// Crashes sets after how many crashed attempts in a row an instance is stuck, 5 by default.
// Attempts are of a step, with the code that follows it up to the next point, or of the code that
// follows a wait. Returning an error, a heartbeat and the next point begin the count again. Zero
// or less: never, and no instance is suspected. That is right for workers that are often killed
// for reasons of their own, as on machines that may be taken away at any time.
func Crashes(n int) Option { return func(s *settings) { s.crashes = n } }

const (
	suspected   = 2           // crashes after which an instance runs only beside others that are not suspected
	suspectTime = time.Minute // after which a running suspect no longer keeps others waiting
)

// errCrashed is the reason of an instance that has crashed too often.
type errCrashed struct { //nolint:errname // the reason why an instance is stuck
	count int
	doc   *checkpoint
}

func (e errCrashed) Error() string {
	where := "the code behind the point " + e.doc.Point
	if e.doc.Step != "" {
		where = "the step " + e.doc.Step + ", or the code behind it"
	}
	return fmt.Sprintf("its process has died %d times in a row in %s: mend that, and resume the instance", e.count, where)
}

// countCrashes adds the crashes that the record shows to those of the checkpoint. It returns an
// error if there are too many.
func (r *run) countCrashes(doc *checkpoint) error {
	doc.Crashes += r.crashes
	if r.e.crashes > 0 && doc.Crashes >= r.e.crashes {
		return errCrashed{doc.Crashes, doc}
	}
	return nil
}

// prepare makes the crashes of an instance count before its code runs. It reports whether the
// instance is postponed instead.
func (r *run) prepare(doc *checkpoint) (postponed bool, err error) {
	if done, err := r.postpone(doc); done || err != nil {
		return true, err
	}
	if doc.Crashes > 0 {
		if r.claim.record.State, err = seal(doc); err != nil {
			return false, err
		}
	}
	if r.record.Owner != "" {
		r.e.writeClaim(r.claim)
		r.endClaim()
	}
	return false, nil
}

// postpone leaves a suspected instance alone while another one runs here. It reports whether it
// did.
func (r *run) postpone(doc *checkpoint) (done bool, err error) {
	if r.e.crashes <= 0 || doc.Crashes < suspected || r.e.admitSuspect(r.record.ID) {
		return false, nil
	}
	if r.record.State, err = seal(doc); err != nil {
		return false, err
	}
	r.doc = doc
	if _, err = r.inbox(); err != nil { // what is seen does not make it due at once
		return false, err
	}
	r.record.Owner, r.record.Due, r.record.Updated = "", r.e.now().Add(r.e.lease), r.e.now()
	_, err = r.write()
	return true, err
}

// admitSuspect reports whether a suspected instance may run now.
func (e *Engine) admitSuspect(id string) bool {
	now := e.now()
	e.mu.Lock()
	defer e.mu.Unlock()
	here := e.running[e.suspect]
	if here != nil && e.suspect != id && now.Sub(e.suspectSince) < suspectTime {
		return false
	}
	e.suspect, e.suspectSince = id, now
	return true
}

// claim is the record of a run that has written nothing yet, as it is stored.
type claim struct {
	since time.Time

	mu      sync.Mutex // guards the fields below
	record  stores.Record
	over    bool          // the run is about to write, or has ended
	written chan struct{} // closed when the claim has been written, or has failed; nil: not begun
	made    bool          // the record has the engine as its owner
}

// beginClaim announces that the run writes nothing for a while.
func (r *run) beginClaim() {
	if r.claim == nil {
		return
	}
	r.e.mu.Lock()
	defer r.e.mu.Unlock()
	if here := r.e.running[r.record.ID]; here != nil {
		here.claim = r.claim
	}
}

// endClaim is called before the run writes, and at its end. It waits for a claim that is being
// written.
func (r *run) endClaim() {
	c := r.claim
	if c == nil {
		return
	}
	r.claim = nil
	c.mu.Lock()
	c.over = true
	written := c.written
	c.mu.Unlock()
	for written != nil && !isClosed(written) {
		r.e.place.Wait(context.Background(), written, Forever)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made {
		r.record.Version, r.record.Owner, r.record.Epoch = c.record.Version, c.record.Owner, c.record.Epoch
	}
}

// claimSlow claims the records of the runs that have written nothing for some time.
func (e *Engine) claimSlow() {
	now := e.now()
	var slow []*claim
	e.mu.Lock()
	for _, here := range e.running {
		if c := here.claim; c != nil && now.Sub(c.since) >= e.lease/3 {
			slow = append(slow, c)
			here.claim = nil
		}
	}
	e.mu.Unlock()
	for _, c := range slow {
		e.writeClaim(c)
	}
}

// writeClaim writes a claim unless the run has gone on. After a failure the first write of the run
// will conflict, or not: it does not matter here.
func (e *Engine) writeClaim(c *claim) {
	c.mu.Lock()
	if c.over {
		c.mu.Unlock()
		return
	}
	c.written = make(chan struct{})
	record := c.record
	c.mu.Unlock()
	record.Status, record.Owner, record.Due, record.Updated = Running, e.worker, time.Time{}, e.now()
	record.Epoch++
	_, err := e.store.Swap(e.ctx, &record)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.record, c.made = record, true
	}
	close(c.written)
}
