package coord

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/job/root"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/statemachine"
)

// Serial runs the functions of each key one after the other, in the order of
// submission, and functions of different keys concurrently: an actor per user, a strand
// per connection or a queue per account. The zero Serial is ready. A key without
// functions takes no memory. See [KeyedMutex] for what a key may be.
//
// A function that submits another one for its own key and waits for it waits forever,
// since it waits for itself. In a function marked //movenext:async a submitted function
// literal suspends within its turn, and so does a function with a twin.
//
// A function whose turn does not come before its context ends is never called. Only the
// error of its call, or its job, says so: clean up there and not in the function.
//
// It is the strand of Boost.Asio and .NET's SerialTaskQueue, by key.
type Serial[K comparable] struct{ hiddenSerial[K] }

// serial is a Serial as its entry sees it; see entered.go for the two names.
type serial[K comparable] struct{ turns KeyedMutex[K] }

type hiddenSerial[K comparable] = serial[K]

// Do calls fn with ctx, on the calling goroutine, after all earlier functions of key
// have ended. It returns fn's error, job.ErrNilFunc, or the reason why ctx ended before
// fn's turn came; fn is not called then. A panic in fn continues in the caller, and the
// next function gets its turn. It blocks; its twin is [Serial.DoAsync].
func (s *Serial[K]) Do(ctx context.Context, key K, fn func(context.Context) error) error {
	if fn == nil {
		return job.ErrNilFunc
	}
	_, err := InTurn(ctx, s, key, withoutResult(fn))
	return err
}

// DoEnter is [Serial.Do] as generated machines call it.
func (s *serial[K]) DoEnter(r *statemachine.Run, fnEnter func(*statemachine.Run, context.Context) (statemachine.ActionCallee, error), ctx context.Context, key K, fn func(context.Context) error) (*statemachine.WaitingVoid[job.Void], error) {
	m, err := doInTurnEnter(r, fnEnter, ctx, &s.turns, key, fn)
	return statemachine.WaitingForVoid(m), err
}

// doInTurn is [Serial.Do] in a machine.
//
//movenext:async
func doInTurn[K comparable](ctx context.Context, turns *KeyedMutex[K], key K, fn func(context.Context) error) error { //nolint:unused // its machine is
	if fn == nil {
		return job.ErrNilFunc
	}
	ctx, err := checkContext(ctx)
	if err != nil {
		return err
	}
	t := &keyClaim[K]{mutex: turns, key: key}
	turn := t.claim()
	defer t.release()
	if !turn.IsCompleted() { // the key was not free
		if _, err := awaitJob(ctx, turn); err != nil {
			return waitEndReason(err)
		}
	}
	return fn(ctx)
}

// DoAsync returns a job that runs fn after all earlier functions of key have ended, on
// the ambient scheduler of ctx, or the default. If ctx ends before that, the job is
// immediately Canceled and fn is not called. See [InTurnAsync].
func (s *Serial[K]) DoAsync(ctx context.Context, key K, fn root.Action) *job.Job[job.Void] {
	if fn == nil {
		return job.FromError[job.Void](job.ErrNilFunc)
	}
	return InTurnAsync(ctx, s, key, withoutResult(fn))
}

func withoutResult(fn func(context.Context) error) func(context.Context) (job.Void, error) {
	return func(ctx context.Context) (job.Void, error) { return job.Void{}, fn(ctx) }
}

// InTurn is [Serial.Do] for a function with a result. Its twin is [InTurnAsync].
func InTurn[K comparable, T any](ctx context.Context, s *Serial[K], key K, fn func(context.Context) (T, error)) (T, error) {
	if fn == nil {
		var none T
		return none, job.ErrNilFunc
	}
	if err := s.turns.Lock(ctx, key); err != nil {
		var none T
		return none, err
	}
	defer s.turns.Unlock(key)
	if ctx == nil {
		ctx = context.Background()
	}
	return fn(ctx)
}

// InTurnEnter is [InTurn] as generated machines call it.
func InTurnEnter[K comparable, T any](r *statemachine.Run, fnEnter func(*statemachine.Run, context.Context) (statemachine.Callee[T], T, error), ctx context.Context, s *Serial[K], key K, fn func(context.Context) (T, error)) (*statemachine.Waiting[T], T, error) {
	m, v, err := inTurnEnter(r, fnEnter, ctx, &s.turns, key, fn)
	return statemachine.WaitingFor(m), v, err
}

// inTurn is [InTurn] in a machine.
//
//movenext:async
func inTurn[K comparable, T any](ctx context.Context, turns *KeyedMutex[K], key K, fn func(context.Context) (T, error)) (v T, err error) { //nolint:unused // its machine is
	if fn == nil {
		return v, job.ErrNilFunc
	}
	ctx, err = checkContext(ctx)
	if err != nil {
		return v, err
	}
	t := &keyClaim[K]{mutex: turns, key: key}
	turn := t.claim()
	defer t.release()
	if !turn.IsCompleted() { // the key was not free
		if _, err := awaitJob(ctx, turn); err != nil {
			return v, waitEndReason(err)
		}
	}
	return fn(ctx)
}

// InTurnAsync is [Serial.DoAsync] for a function with a result. The job is a
// continuation of the turn: fn gets the job's own context, as with job.ContinueWith, and
// Cancel works on it. However the job ends (an error, a panic, a scheduler's refusal),
// the key's next function then gets its turn.
func InTurnAsync[K comparable, T any](ctx context.Context, s *Serial[K], key K, fn root.Func[T]) *job.Job[T] {
	if fn == nil {
		return job.FromError[T](job.ErrNilFunc)
	}
	ctx, err := checkContext(ctx)
	if err != nil {
		return promise.Failed[T](ctx, err)
	}
	t := &keyClaim[K]{mutex: &s.turns, key: key}
	j := job.ContinueWith(ctx, t.claim(), func(ctx context.Context, _ *job.Job[job.Void]) (T, error) {
		return fn(ctx)
	})
	t.node.Prepare(t)
	if !j.Register(&t.node) {
		t.release()
	}
	return j
}

// keyClaim is the claim of one job or machine on a key. These watch the context; the claim
// does not. It is notified in one way, when the job has ended, whether the job was canceled
// in the queue or has run.
//
// A machine claims the key before it does anything else, as a job does, and never yields
// first, as it may before it locks a mutex: the claims of twins that are started one after the
// other are in that order.
type keyClaim[K comparable] struct {
	node   continuation.Node
	mutex  *KeyedMutex[K]
	key    K
	queued *waiter // nil: the key was free
}

// claim locks the key or queues for it, and returns the job that ends when it is
// locked.
func (c *keyClaim[K]) claim() *job.Job[job.Void] {
	m := &c.mutex.hiddenKeyedMutex
	m.mu.Lock()
	defer m.mu.Unlock() // a map may panic because of its key
	if takeKey(m, c.key) {
		return completedVoid()
	}
	queued := newJobCall[job.Void](keyHostOf(m), c.key)
	c.queued = &queued.waiter
	keyHostOf(m).admit(c.queued)
	return &queued.promise.Job
}

// release ends the claim of a machine.
func (c *keyClaim[K]) release() { c.end().deliver(nil) }

// end releases the key, or leaves its queue. In the second case the promise has no
// waiters left and need not be completed.
func (c *keyClaim[K]) end() (decided outcomes) {
	m := &c.mutex.hiddenKeyedMutex
	m.mu.Lock()
	defer m.mu.Unlock()
	if w := c.queued; w != nil && !w.decided {
		w.decided = true
		w.queue.remove(w)
		return decided
	}
	return releaseKey(m, c.key)
}

// Completed implements continuation.Target: the job has ended.
func (c *keyClaim[K]) Completed(schedulers.Worker) continuation.Chain { return c.end().complete() }
