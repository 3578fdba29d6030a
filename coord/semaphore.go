package coord

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// Semaphore grants a number of permits, one or several at a time. Make one with
// [NewSemaphore]; the zero Semaphore has no permits.
//
// Requests are served in order of arrival, whatever their weight. The tempting
// improvement, letting a light request pass a heavy one that does not fit yet, starves
// the heavy one for as long as light ones keep arriving.
//
// It is golang.org/x/sync/semaphore with an asynchronous form, and with an immediate
// error for requests that could never succeed.
type Semaphore struct {
	mu    interleave.Mutex
	size  int64
	held  int64
	queue queue
}

type semaphore = Semaphore // the receiver of entries; see entered.go

// NewSemaphore returns a semaphore with the given number of permits, all of them free.
// It panics if permits is negative.
func NewSemaphore(permits int64) *Semaphore {
	if permits < 0 {
		panic("coord: semaphore of negative size")
	}
	return &Semaphore{size: permits}
}

// Acquire waits until all earlier requests are served and n permits are free, and takes
// them all at once. It returns nil, the reason why ctx ended, [ErrNegativeWeight] or
// [ErrTooHeavy]. It blocks; its twin is [Semaphore.AcquireAsync].
func (s *Semaphore) Acquire(ctx context.Context, n int64) error {
	budget.Yield()
	ctx, err := s.check(ctx, n)
	if err != nil {
		return err
	}
	if s.TryAcquire(n) {
		// Yield with the permits held: in a search, others must be able to find them taken.
		budget.Yield()
		return nil
	}
	_, err = wait[job.Void](ctx, s, n)
	return err
}

// AcquireAsync returns a job that completes once n permits are held, is Canceled when
// ctx ends first, or has faulted with an error of [Semaphore.Acquire]. It allocates
// nothing if it need not wait.
func (s *Semaphore) AcquireAsync(ctx context.Context, n int64) *job.Job[job.Void] {
	ctx, err := s.check(ctx, n)
	if err != nil {
		return promise.FailedVoid(ctx, err)
	}
	if s.TryAcquire(n) {
		return completedVoid()
	}
	return waitAsync[job.Void](ctx, s, n)
}

// AcquireEnter is [Semaphore.Acquire] as generated machines call it.
func (s *semaphore) AcquireEnter(r *statemachine.Run, ctx context.Context, n int64) (*statemachine.WaitingVoid[job.Void], error) {
	ctx, err := s.check(ctx, n)
	if err != nil {
		return endEntryVoid[int64](r, s, err)
	}
	if r.Proceed() && s.TryAcquire(n) {
		return nil, nil
	}
	return enterWaitVoid(r, ctx, s, n), nil
}

// Resize changes the number of permits. More permits serve waiters at once, in order. Fewer
// take none away: while more are held than there are, all requests wait until enough have
// been released. A request that waits for more than there are now fails with [ErrTooHeavy].
// It panics if permits is negative.
func (s *Semaphore) Resize(permits int64) {
	if permits < 0 {
		panic("coord: semaphore of negative size")
	}
	s.mu.Lock()
	s.size = permits
	var decided outcomes
	for w := s.queue.first; w != nil; {
		next := w.next
		if permitsOf(w) > permits {
			s.queue.remove(w)
			decided.append(s.refuse(w))
		}
		w = next
	}
	decided.append(s.serve())
	s.mu.Unlock()
	decided.deliver(nil)
}

// TryAcquire takes n permits if they are free and no request waits, and reports whether
// it did. It panics if n is negative.
func (s *Semaphore) TryAcquire(n int64) bool {
	if n < 0 {
		panic("coord: negative weight")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queue.empty() && s.take(n)
}

// Release returns n permits and serves waiters. It panics if n is negative or more than
// are held.
func (s *Semaphore) Release(n int64) {
	s.mu.Lock()
	if n < 0 || n > s.held {
		held := s.held
		s.mu.Unlock()
		panic(fmt.Sprintf("coord: release of %d permits where %d are held", n, held))
	}
	s.held -= n
	decided := s.serve()
	s.mu.Unlock()
	decided.deliver(nil)
}

// Free returns the number of permits that are free now, which is negative if more are held
// than [Semaphore.Resize] has left.
func (s *Semaphore) Free() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size - s.held
}

// check returns the error of a request for n that must fail, or nil. [Semaphore.admit] refuses
// those that are too heavy: the size may change until the request is in the queue.
func (s *Semaphore) check(ctx context.Context, n int64) (context.Context, error) {
	if n < 0 {
		return ctx, fmt.Errorf("%w: %d", ErrNegativeWeight, n)
	}
	return checkContext(ctx)
}

func (s *Semaphore) tooHeavy(n int64) error {
	return fmt.Errorf("%w: %d of %d", ErrTooHeavy, n, s.size)
}

// permitsOf returns the number of permits that w waits for.
func permitsOf(w *waiter) int64 { return callOf[job.Void, int64](w).request }

// refuse ends the wait of w, which is in no queue, for more permits than there are.
func (s *Semaphore) refuse(w *waiter) (decided outcomes) {
	if w.of.claim() {
		w.err = s.tooHeavy(permitsOf(w))
		decided.add(w)
	}
	return decided
}

// take takes n permits if that many are free.
func (s *Semaphore) take(n int64) bool {
	if !s.hasFree(n) {
		return false
	}
	s.held += n
	return true
}

// hasFree compares by a difference, since a sum could overflow.
func (s *Semaphore) hasFree(n int64) bool { return n <= s.size-s.held }

// serve lets the first waiter continue, and the next, until one has to wait.
func (s *Semaphore) serve() (decided outcomes) {
	for !s.queue.empty() && s.hasFree(permitsOf(s.queue.first)) {
		w := s.queue.pop()
		if w.of.claim() {
			s.held += permitsOf(w)
			decided.add(w)
		}
	}
	return decided
}

func (s *Semaphore) guard() *interleave.Mutex { return &s.mu }

func (s *Semaphore) admit(w *waiter) outcomes {
	if permitsOf(w) > s.size {
		return s.refuse(w)
	}
	s.queue.push(w)
	return s.serve()
}

// cancel serves other waiters too: permits that did not suffice for the waiter
// that gives up may suffice for those behind it.
func (s *Semaphore) cancel(w *waiter) outcomes {
	decided := s.queue.cancel(w)
	decided.append(s.serve())
	return decided
}

func (s *Semaphore) giveBack(w *waiter) outcomes {
	s.held -= permitsOf(w)
	return s.serve()
}
