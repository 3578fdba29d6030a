// Package workset waits for a set of work, over any scheduler: submit a hundred work
// items and wait for all of them, for some of them, or for the first.
//
// A [Set] is a scheduler that counts its work. [Set.Wait] waits until the set is empty. It
// includes work that the work itself submits meanwhile, so one call waits for a tree of
// work of unknown size. [Set.Queue] returns an [Item], and [WaitAll] and [WaitAny] wait
// for items.
//
// # Alternatives
//
// With a sync.WaitGroup the work itself has to report its end, and a panic or a refusal
// easily leaves one unreported; here the scheduler counts. Jobs have WhenAll and WhenAny;
// this package is for work that has no result, and for all work of a scheduler, whatever
// its origin.
//
// # Waiting
//
// A wait inside work, with the context of that work, is announced to the scheduler
// beneath, which keeps other work moving as it does when a job waits. Work that waits for
// its own set waits for itself: use a separate set for the work that it starts.
package workset

import (
	"context"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
)

// publicMethods holds the methods that all shims share; see the comment of Set.
type publicMethods = shim.PublicMethods

// Set is a scheduler whose work can be awaited as a whole. Make one with [New]. All
// methods are safe for concurrent use. A set costs some 300 bytes and no goroutine.
//
// Besides [schedulers.Scheduler] it implements Layered, Shutdowner, Consenter, Timers
// (those of the scheduler beneath, if it has any), Snapshotter, Limiter (the limit of
// the scheduler beneath) and Meter, and its workers implement HomeBlocker and Pumper.
type Set struct {
	publicMethods
	through shim.Passthrough
	over    schedulers.Scheduler

	mu    interleave.Mutex
	left  int           // accepted, and neither ended nor abandoned
	empty chan struct{} // closed when left becomes 0; nil without a waiter
}

// New returns an empty set that runs its work on over. A nil over refuses all work.
func New(over schedulers.Scheduler) *Set {
	s := &Set{over: over}
	s.through.Init("workset", s, over)
	s.publicMethods.Passthrough = &s.through
	return s
}

// Submit is [Set.Queue] without the item.
func (s *Set) Submit(w schedulers.Work, from schedulers.Hint) error {
	_, err := s.Queue(w, from)
	return err
}

// Queue accepts w and returns an item to wait for, or refuses w: with
// [schedulers.ErrShutdown] after Shutdown, with [schedulers.ErrRejected] if w is nil,
// and with the error of the scheduler beneath if that refuses. Hints are passed on. It
// blocks, or runs work in place, only if Submit of the scheduler beneath does.
func (s *Set) Queue(w schedulers.Work, from schedulers.Hint) (*Item, error) {
	it := &Item{ticket{set: s}}
	it.t.OnGiveUp(&it.t)
	s.add(1) // before the work can run
	if err := s.through.Accept(&it.t.Item, nil, w); err != nil {
		s.add(-1)
		return nil, err
	}
	if err := s.through.Send(&it.t, &it.t.Item, from); err != nil {
		s.add(-1)
		return nil, err
	}
	return it, nil
}

func (s *Set) add(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left += n
	if s.left == 0 && s.empty != nil {
		close(s.empty)
		s.empty = nil
	}
}

// Len returns the number of work items that are queued or running.
func (s *Set) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}

// Wait blocks until no work of the set is queued or running, and returns nil; it
// returns at once if that is already so. It returns the cause of ctx if that ends
// first, and [schedulers.ErrWouldDeadlock] if ctx names a worker that knows that this
// wait would never end. A nil ctx never ends. The set can be used again.
//
// Wait does not report how the work items ended; [schedulers.Meter] counts those that
// panicked or were abandoned.
func (s *Set) Wait(ctx context.Context) error {
	return wait(ctx, s.emptySignal())
}

func (s *Set) emptySignal() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.empty
	if c == nil {
		c = make(chan struct{})
	}
	if s.left > 0 {
		s.empty = c
	} else {
		close(c)
	}
	return c
}

func wait(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	default:
	}
	if ctx == nil {
		ctx = context.Background()
	}
	return schedulers.Wait(ctx, schedulers.WorkerFrom(ctx), nil, done)
}

// Shutdown refuses all further work, runs the accepted work, and returns nil when the
// last of it has ended. If ctx ends first, work that has not begun is abandoned with
// [schedulers.ErrShutdown] and the cause of ctx is returned. The scheduler beneath is
// not shut down. It blocks, and may be called any number of times, also concurrently. A
// nil ctx never ends.
func (s *Set) Shutdown(ctx context.Context) error { return s.publicMethods.Shutdown(ctx) }

// MayRunInPlace reports whether the scheduler beneath consents.
func (s *Set) MayRunInPlace(w schedulers.Work, caller schedulers.Worker) bool {
	return shim.MayRunInPlace(s.over, w, caller)
}

// MaxConcurrency returns the limit of the scheduler beneath, or 0.
func (s *Set) MaxConcurrency() int { return shim.MaxConcurrency(s.over) }
