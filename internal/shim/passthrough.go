package shim

import (
	"fmt"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/tally"
	"github.com/movenext/movenext/schedulers"
)

// Passthrough is a shim that passes each work item on, in an item that is bound to it, and keeps
// a list of the work that has not begun to run. Call Init before use.
//
// An item in the list is queued. The goroutine that removes an item from the list gets its
// work: to run it for the scheduler beneath, to abandon it in a Shutdown that gives up, or to
// withdraw it for a submitter. Other goroutines find the item gone and do nothing.
type Passthrough struct {
	tally.Tally
	Clock

	// Constant after Init.

	name    string // of the shim's package, for errors
	home    schedulers.Scheduler
	beneath schedulers.Scheduler

	mu    interleave.Mutex // guards the list, and the links and work of the items in it
	items itemList
	// Of work items, ever: put into the list; taken out of it, to run or to be abandoned.
	accepted, taken uint64
}

// Item is one work item that passes through. Embed it in the work that the shim submits
// beneath.
//
// There may be a million items, so an item is 80 bytes: what only some need is in a [Handle].
type Item struct {
	Worker
	handle *Handle // to notify that the item is given up; nil: none

	shim       *Passthrough
	work       schedulers.Work // of an item in the list; later for use by the one who took it
	next, prev *Item           // in the list; next is the item itself when it has left
}

// GiveUpListener is notified that the work of an item was abandoned, after the work itself.
type GiveUpListener interface{ HandleGiveUp(reason error) }

// Init sets the name of the shim, the scheduler that its work sees, and the scheduler
// beneath. A nil over refuses everything.
func (t *Passthrough) Init(name string, home, beneath schedulers.Scheduler) {
	t.name, t.home, t.beneath = name, home, beneath
	t.Clock.SetOver(beneath)
	t.CountEntered, t.CountTaken = t.countAccepted, t.countTaken
}

func (t *Passthrough) countAccepted() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.accepted
}

func (t *Passthrough) countTaken() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.taken
}

// Accept counts w as accepted and puts the item into the list, or returns the reason for
// a refusal. home is the scheduler that w sees; nil means the one of Init.
func (t *Passthrough) Accept(it *Item, home schedulers.Scheduler, w schedulers.Work) error {
	if home == nil {
		home = t.home
	}
	if err := t.Prepare(t.name, home, w); err != nil {
		return err
	}
	it.home, it.shim, it.work = home, t, w
	t.mu.Lock()
	closed := t.Closed()
	if !closed {
		t.accepted++
		t.items.add(it)
	}
	t.mu.Unlock()
	if closed {
		return t.RefuseClosed(t.name, home, w)
	}
	return nil
}

// Send submits outer, which embeds the accepted item, to the scheduler beneath. If that
// refuses, Send takes the item back and returns the error.
func (t *Passthrough) Send(outer schedulers.Work, it *Item, hint schedulers.Hint) error {
	hint.From = Beneath(hint.From)
	err := dispatch.TryOffer(t.beneath, outer, hint)
	if err == nil {
		return nil
	}
	w := it.Take()
	if w == nil {
		return nil // nothing to refuse: a Shutdown has abandoned the work
	}
	t.mu.Lock()
	t.taken-- // neither
	t.mu.Unlock()
	t.Refuse(it.home, w)
	return fmt.Errorf("%s: refused by the scheduler beneath: %w", t.name, err)
}

// Take removes the item from the list and returns its work, or returns nil if the item was
// not in the list. The caller must pass the work to RunThrough or to Drop.
func (it *Item) Take() schedulers.Work {
	t := it.shim
	t.mu.Lock()
	w := it.unlink()
	t.mu.Unlock()
	return w
}

func (it *Item) unlink() schedulers.Work {
	t := it.shim
	if !it.listed() {
		return nil
	}
	t.items.remove(it)
	t.taken++
	w := it.work
	it.work = nil
	return w
}

// Queued reports whether the item has neither begun to run nor been given up.
func (it *Item) Queued() bool {
	it.shim.mu.Lock()
	defer it.shim.mu.Unlock()
	return it.listed()
}

// RunOn runs the item's work on a worker of the scheduler beneath, unless the item is gone,
// and reports whether it did. The work sees the worker visible, which embeds the item; nil means
// the item's own worker. e is notified of the end of the work.
func (it *Item) RunOn(worker, visible schedulers.Worker, e tally.EndListener) bool {
	w := it.Begin(worker)
	if w == nil {
		return false
	}
	if visible == nil {
		visible = &it.Worker
	}
	it.shim.RunThrough(w, visible, worker, e)
	return true
}

// Keep keeps w, the work that Begin has returned, in the item; Kept returns it. Only the
// goroutine that runs the work calls them.
func (it *Item) Keep(w schedulers.Work) { it.work = w }

// Kept returns the work that Keep was called with last.
func (it *Item) Kept() schedulers.Work { return it.work }

// Begin removes the item from the list and sets its worker. It returns the work, which
// the caller must pass to RunThrough, or nil if the item is gone.
func (it *Item) Begin(worker schedulers.Worker) schedulers.Work {
	w := it.Take()
	if w == nil {
		return nil
	}
	it.SetBeneath(worker)
	return w
}

// GiveUp abandons the item's work, unless the item is gone, and reports whether it did.
func (it *Item) GiveUp(reason error) bool {
	w := it.Take()
	if w == nil {
		return false
	}
	it.Drop(w, reason)
	return true
}

// Drop abandons the work that Take has returned.
func (it *Item) Drop(w schedulers.Work, reason error) {
	it.shim.Abandon(it.home, w, reason)
	if it.handle != nil {
		it.handle.onGiveUp.HandleGiveUp(reason)
	}
}

// GiveUpAll abandons all queued work, oldest first.
func (t *Passthrough) GiveUpAll() {
	for _, it := range t.queuedItems() {
		it.GiveUp(schedulers.ErrShutdown)
	}
}

func (t *Passthrough) queuedItems() []*Item {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []*Item
	for it := t.items.first; it != nil; it = it.next {
		all = append(all, it)
	}
	return all
}

// Snapshot implements [schedulers.Snapshotter]: the queued work, oldest first.
func (t *Passthrough) Snapshot() []schedulers.Work {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []schedulers.Work
	for it := t.items.first; it != nil; it = it.next {
		all = append(all, it.work)
	}
	return all
}
