// Package cancellable lets work be canceled after it was submitted, over any scheduler:
// queued work is withdrawn, running work is asked to stop.
//
// [Scheduler.Queue] returns an [Item] for the work that it has queued. The effect of
// [Item.Cancel] depends on the state of the item, which it returns:
//
//	Queued ──▶ Running ──▶ Ended
//	   │
//	   └─────▶ Withdrawn
//
//	Cancel of a queued item     the work is abandoned, and will never run
//	Cancel of a running item    its context ends; the item ends when the work has noticed
//	Cancel later                does nothing
//
// The runner and a canceller take the item out of the same list, and only one of them
// succeeds: work that was withdrawn never runs, not even in part.
//
// # An abort is a request
//
// Go cannot stop a goroutine from outside, and platforms that can came to regret it: the
// thread may die while it holds a lock. So running work is asked to stop by its context,
// which it gets from [Context] or, in a function that is queued with [Scheduler.Go], as
// the argument.
//
// # Jobs
//
// A job that is started on this scheduler can be withdrawn as a whole with
// [Scheduler.CancelAll], and its function learns of an abort from [Context]. To cancel a
// single job, use its own Cancel; for a group of jobs, make a scheduler of this package,
// which costs some 500 bytes.
package cancellable

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/internal/shrinkmap"
	"github.com/movenext/movenext/schedulers"
)

// ErrWithdrawn is the reason with which withdrawn work is abandoned. It wraps
// [schedulers.ErrShutdown], as every such reason does, and is itself wrapped together with
// the cause that was passed to Cancel.
var ErrWithdrawn = fmt.Errorf("cancellable: work was withdrawn: %w", schedulers.ErrShutdown)

// publicMethods holds the methods that all shims share; see the comment of Scheduler.
type publicMethods = shim.PublicMethods

// Scheduler is a queue from which work can be taken back. Make one with [New]. All
// methods are safe for concurrent use.
//
// Besides [schedulers.Scheduler] it implements Layered, Shutdowner, Consenter, Timers
// (those of the scheduler beneath, if it has any), Snapshotter, Limiter (the limit of
// the scheduler beneath) and Meter, and its workers implement HomeBlocker and Pumper.
type Scheduler struct {
	publicMethods
	through shim.Passthrough
	over    schedulers.Scheduler

	mu     sync.Mutex
	live   shrinkmap.Map[*Item, uint64] // neither ended nor withdrawn, by arrival number
	number uint64
}

// New returns a scheduler that runs work on over. A nil over refuses all work.
func New(over schedulers.Scheduler) *Scheduler {
	s := &Scheduler{over: over}
	s.through.Init("cancellable", s, over)
	s.publicMethods.Passthrough = &s.through
	return s
}

// Submit is [Scheduler.Queue] without the item: only CancelAll can take the work back.
func (s *Scheduler) Submit(w schedulers.Work, from schedulers.Hint) error {
	_, err := s.Queue(w, from)
	return err
}

// Queue accepts w and returns the item by which it can be canceled, or refuses w:
// with [schedulers.ErrShutdown] after Shutdown, with [schedulers.ErrRejected] if w is
// nil, and with the error of the scheduler beneath if that refuses. Hints are passed
// on. It blocks, or runs work in place, only if Submit of the scheduler beneath does.
func (s *Scheduler) Queue(w schedulers.Work, from schedulers.Hint) (*Item, error) {
	return s.queue(context.Background(), w, from)
}

// Go queues a function. Its context is a child of ctx, ends when the item is canceled,
// and names the worker, so that a wait inside fn can be announced. If ctx has ended
// before fn is run, fn is still called, with that context. In all other respects Go is
// like Queue. A nil ctx never ends, and a nil fn is rejected.
func (s *Scheduler) Go(ctx context.Context, fn func(context.Context)) (*Item, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	var w schedulers.Work // a nil fn is refused, and counted, as nil work
	if fn != nil {
		w = function(fn)
	}
	return s.queue(ctx, w, schedulers.Hint{From: schedulers.WorkerFrom(ctx)})
}

func (s *Scheduler) queue(parent context.Context, w schedulers.Work, from schedulers.Hint) (*Item, error) {
	it := &Item{ticket{scheduler: s, parent: parent}}
	it.t.OnGiveUp(&it.t)
	it.t.item = it
	if err := s.through.Accept(&it.t.Item, nil, w); err != nil {
		return nil, err
	}
	s.remember(it)
	if err := s.through.Send(&it.t, &it.t.Item, from); err != nil {
		s.forget(it)
		return nil, err
	}
	return it, nil
}

func (s *Scheduler) remember(it *Item) {
	s.mu.Lock()
	s.number++
	shrinkmap.Put(&s.live, it, s.number)
	s.mu.Unlock()
	if gone, _ := it.t.Gone(); gone { // a Shutdown abandoned it too early to remove it
		s.forget(it)
	}
}

func (s *Scheduler) forget(it *Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	shrinkmap.Delete(&s.live, it)
}

// CancelAll cancels all items that have neither ended nor been withdrawn, oldest first,
// also those of [Scheduler.Submit], and returns how many it has withdrawn and how many
// it has asked to stop. It may miss work that is submitted at the same time. It does
// not block.
func (s *Scheduler) CancelAll(cause error) (withdrawn, aborted int) {
	for _, it := range s.all() {
		switch it.Cancel(cause) {
		case Queued:
			withdrawn++
		case Running:
			aborted++
		case Ended, Withdrawn:
		}
	}
	return withdrawn, aborted
}

func (s *Scheduler) all() []*Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	arrivals := maps.Collect(shrinkmap.All(&s.live))
	return slices.SortedFunc(maps.Keys(arrivals), func(a, b *Item) int { return cmp.Compare(arrivals[a], arrivals[b]) })
}

// Shutdown refuses all further work, runs the accepted work, and returns nil when the
// last of it has ended. If ctx ends first, work that has not begun is abandoned with
// [schedulers.ErrShutdown] and the cause of ctx is returned; running work is not asked
// to stop. The scheduler beneath is not shut down. It blocks, and may be called any
// number of times, also concurrently. A nil ctx never ends.
func (s *Scheduler) Shutdown(ctx context.Context) error { return s.publicMethods.Shutdown(ctx) }

// MayRunInPlace reports whether the scheduler beneath consents.
func (s *Scheduler) MayRunInPlace(w schedulers.Work, caller schedulers.Worker) bool {
	return shim.MayRunInPlace(s.over, w, caller)
}

// MaxConcurrency returns the limit of the scheduler beneath, or 0.
func (s *Scheduler) MaxConcurrency() int { return shim.MaxConcurrency(s.over) }
