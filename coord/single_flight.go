package coord

import (
	"context"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/internal/shrinkmap"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/job/root"
)

// SingleFlight lets concurrent callers with the same key share one computation. Nothing
// is kept: a call after the end of a computation computes again. The zero SingleFlight
// is ready. See [KeyedMutex] for what a key may be.
//
// As with [Lazy], a caller's context bounds its waiting, not the computation, which has
// the values of the first caller's context and runs on its ambient scheduler.
//
// It is golang.org/x/sync/singleflight, typed, with contexts.
type SingleFlight[K comparable, T any] struct {
	mu      interleave.Mutex
	flights shrinkmap.Map[K, *flight[T]]
}

// Do returns the result of fn, or of the computation that is under way for the same key.
// It may also return the reason why ctx ended, or job.ErrNilFunc. A panic in fn is an
// error, which wraps a *job.PanicError. If fn calls runtime.Goexit, so does a caller whose
// worker runs the computation in place (see [job.Job.Wait]), and the others get
// job.ErrGoexit. It blocks; its twin is [SingleFlight.DoAsync].
func (s *SingleFlight[K, T]) Do(ctx context.Context, key K, fn root.Func[T]) (T, error) {
	ctx, err := checkContext(ctx)
	if err == nil && fn == nil {
		err = job.ErrNilFunc
	}
	if err != nil {
		var none T
		return none, err
	}
	return s.flight(ctx, key, fn).wait(ctx)
}

// DoAsync returns a job that ends with the results of [SingleFlight.Do], or is Canceled
// when ctx ends first.
func (s *SingleFlight[K, T]) DoAsync(ctx context.Context, key K, fn root.Func[T]) *job.Job[T] {
	ctx, err := checkContext(ctx)
	if err == nil && fn == nil {
		err = job.ErrNilFunc
	}
	if err != nil {
		return promise.Failed[T](ctx, err)
	}
	return s.flight(ctx, key, fn).waitAsync(ctx)
}

// Forget makes the next call with key compute again, even if a computation is under way.
// That computation still serves its waiters.
func (s *SingleFlight[K, T]) Forget(key K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	shrinkmap.Delete(&s.flights, key)
}

// flight returns the flight that is under way for key, starting one if there is none.
func (s *SingleFlight[K, T]) flight(ctx context.Context, key K, fn func(context.Context) (T, error)) *flight[T] {
	if f := s.join(key, nil); f != nil {
		return f
	}
	// Made outside the lock: reading values of a context may run user code.
	fresh := newFlight(ctx, fn)
	fresh.onEnd = func() { s.remove(key, fresh) }
	f := s.join(key, fresh)
	if f == fresh {
		fresh.start()
	}
	return f
}

// join returns the flight that is under way for key; if there is none, fresh becomes it.
//
// A flight that has landed may still be in the map, until its onEnd is called. A caller
// that got its result and calls again must not get the same result.
func (s *SingleFlight[K, T]) join(key K, fresh *flight[T]) *flight[T] {
	s.mu.Lock()
	defer s.mu.Unlock() // a map may panic because of its key
	mustEqualItself(key)
	if f, _ := shrinkmap.Get(&s.flights, key); f != nil && !f.run.IsCompleted() {
		return f
	}
	if fresh == nil {
		return nil
	}
	shrinkmap.Put(&s.flights, key, fresh)
	return fresh
}

// remove forgets a flight that has landed, unless it was forgotten and another is under
// way.
func (s *SingleFlight[K, T]) remove(key K, f *flight[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now, _ := shrinkmap.Get(&s.flights, key); now == f {
		shrinkmap.Delete(&s.flights, key)
	}
}
