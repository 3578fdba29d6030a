package shim

import (
	"fmt"
	"slices"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/linked"
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
	items linked.List[Item]
	taken uint64 // out of the list, to run or to be abandoned
}

// Item is one work item that passes through. Embed it in the work that the shim submits
// beneath.
type Item struct {
	Worker
	OnGiveUp GiveUpListener // nil: none

	shim  *Passthrough
	work  schedulers.Work // nil when the item is no longer in the list
	links linked.Node[Item]
}

// GiveUpListener is notified that the work of an item was abandoned, after the work itself.
type GiveUpListener interface{ HandleGiveUp(reason error) }

// Init sets the name of the shim, the scheduler that its work sees, and the scheduler
// beneath. A nil over refuses everything.
func (t *Passthrough) Init(name string, home, beneath schedulers.Scheduler) {
	t.name, t.home, t.beneath = name, home, beneath
	t.Clock.SetOver(beneath)
	t.CountTaken = t.countTaken
}

// countTaken is called by the tally.
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
	if err := t.Enter(t.name, home, w); err != nil {
		return err
	}
	it.home, it.shim, it.work = home, t, w
	t.mu.Lock()
	t.items.Add(&it.links, it)
	t.mu.Unlock()
	return nil
}

// Send submits outer, which embeds the accepted item, to the scheduler beneath. If that
// refuses, Send takes the item back and returns the error.
func (t *Passthrough) Send(outer schedulers.Work, it *Item, hint schedulers.Hint) error {
	hint.From = Beneath(hint.From)
	err := schedulers.TryOffer(t.beneath, outer, hint)
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
	t, w := it.shim, it.work
	if w == nil {
		return nil
	}
	t.items.Remove(&it.links)
	it.work = nil
	t.taken++
	return w
}

// Queued reports whether the item has neither begun to run nor been given up.
func (it *Item) Queued() bool {
	it.shim.mu.Lock()
	defer it.shim.mu.Unlock()
	return it.work != nil
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
	if it.OnGiveUp != nil {
		it.OnGiveUp.HandleGiveUp(reason)
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
	return slices.Collect(t.items.All())
}

// Snapshot implements [schedulers.Snapshotter]: the queued work, oldest first.
func (t *Passthrough) Snapshot() []schedulers.Work {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []schedulers.Work
	for it := range t.items.All() {
		all = append(all, it.work)
	}
	return all
}
