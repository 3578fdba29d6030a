package coord

import (
	"context"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/job/root"
)

// Lazy is a value that is computed once, on the first request. Make one with
// [NewLazy].
//
// An error is not kept: all waiters get it, and the next call starts a new attempt.
// (sync.OnceValues keeps errors: a database that was down for the first second would be
// considered down forever.) To keep an error, make it part of the value.
//
// A caller's context bounds its waiting, not the computation, which continues for later
// callers even if all have given up. The computation runs on the ambient scheduler of
// the first caller, with the values of that context.
//
// It is Stephen Toub's AsyncLazy.
type Lazy[T any] struct {
	fn      func(context.Context) (T, error)
	current interleave.Pointer[flight[T]]
}

// NewLazy returns a Lazy whose value fn computes. With a nil fn, Get fails with
// job.ErrNilFunc. fn must not get the value: it would wait for itself.
func NewLazy[T any](fn root.Func[T]) *Lazy[T] { return &Lazy[T]{fn: fn} }

// Get returns the value, computing it if necessary. It returns fn's error, or the reason
// why ctx ended. A panic in fn is an error, which wraps a *job.PanicError. If fn calls
// runtime.Goexit, so does a caller whose worker runs the computation in place (see
// [job.Job.Wait]), and the others get job.ErrGoexit. It blocks if the value is not there;
// its twin is [Lazy.GetAsync].
func (l *Lazy[T]) Get(ctx context.Context) (T, error) {
	ctx, err := checkContext(ctx)
	if err != nil {
		var none T
		return none, err
	}
	f := l.flight(ctx)
	if f.succeeded() {
		return f.result()
	}
	return f.wait(ctx)
}

// GetAsync returns a job that completes with the value, or has failed with an error of
// [Lazy.Get]; it is Canceled when ctx ends first. It allocates nothing if the value is
// there.
func (l *Lazy[T]) GetAsync(ctx context.Context) *job.Job[T] {
	ctx, err := checkContext(ctx)
	if err != nil {
		return promise.Failed[T](ctx, err)
	}
	f := l.flight(ctx)
	if f.succeeded() {
		return f.run
	}
	return f.waitAsync(ctx)
}

// Value returns the value if it is there. It does not block and computes nothing.
func (l *Lazy[T]) Value() (value T, ok bool) {
	if f := interleave.LoadPointer(&l.current); f != nil && f.succeeded() {
		value, _ = f.result()
		return value, true
	}
	return value, false
}

// Reset forgets the value, so that the next caller computes it again. A computation
// that is under way still serves its waiters, and is then forgotten too.
func (l *Lazy[T]) Reset() { interleave.StorePointer(&l.current, nil) }

// flight returns the current flight, which has succeeded or may still succeed, and
// starts one if there is none.
func (l *Lazy[T]) flight(ctx context.Context) *flight[T] {
	for {
		f := interleave.LoadPointer(&l.current)
		if f != nil && !f.failed() {
			return f
		}
		fresh := newFlight(ctx, l.fn)
		if interleave.CompareAndSwapPointer(&l.current, f, fresh) {
			fresh.start()
			return fresh
		}
	}
}
