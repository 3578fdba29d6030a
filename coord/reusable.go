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

// Reusable is a source that can be completed by hand many times. It is for an operation
// that one object carries out repeatedly, such as reading from a device, where a
// [job.Source] for each would be most of the cost. A machine whose waits are all for Get
// allocates nothing, unless its context can end: that is watched. The zero Reusable is
// ready to use.
//
// Each use is a [Round]:
//
//	           Begin            Set             Get
//	idle ───────────▶ begun ─────────▶ set ─────────▶ idle
//	                    └── Get waits; Set ends both ──▲
//
// A round is set once and read once. A call that would read the result of another round,
// or overwrite an unread one, changes nothing and returns an error that matches
// [ErrRound]: the number of the round identifies it.
//
// It is .NET's ManualResetValueTaskSourceCore, the usual building block of an
// IValueTaskSource. There a second read is undefined unless the token has changed; here
// it is an error.
type Reusable[T any] struct{ hiddenReusable[T] }

// reusable is a Reusable as its entry sees it; see entered.go for the two names.
type reusable[T any] struct {
	mu      interleave.Mutex
	round   Round
	phase   phase
	value   T
	err     error
	waiting queue // of at most one
}

type hiddenReusable[T any] = reusable[T]

// Round is one use of a [Reusable]. The zero Round is never a valid one.
type Round uint64

type phase uint8

const (
	roundIdle phase = iota
	roundPending
	roundSet
)

// Begin begins a round. It returns an error that matches [ErrRound] if the previous one
// has not been read.
func (s *Reusable[T]) Begin() (Round, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase != roundIdle {
		return 0, fmt.Errorf("%w: round %d has not been read", ErrRound, s.round)
	}
	s.round++
	s.phase = roundPending
	return s.round, nil
}

// Set sets the result of a round, which its Get returns. It returns an error that
// matches [ErrRound] if the round was set before, or is over.
func (s *Reusable[T]) Set(r Round, v T, err error) error {
	s.mu.Lock()
	if r != s.round || s.phase != roundPending {
		defer s.mu.Unlock()
		return s.misuseError("set", r)
	}
	s.phase, s.value, s.err = roundSet, v, err
	var decided outcomes
	if !s.waiting.empty() {
		w := s.waiting.pop()
		callOf[T, Round](w).value, w.err = s.take()
		decided.add(w)
	}
	s.mu.Unlock()
	decided.deliver(nil)
	return nil
}

// Drop ends a round that will not be read, whether set or not. From now on its Set
// fails. Drop returns an error that matches [ErrRound] if the round is over, or a Get
// waits for it.
func (s *Reusable[T]) Drop(r Round) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r != s.round || s.phase == roundIdle || !s.waiting.empty() {
		return s.misuseError("drop", r)
	}
	_, _ = s.take()
	return nil
}

// Get waits until the round is set, returns its result, and ends the round. It returns
// an error that matches [ErrRound] if the round is over or another Get waits for it. If
// it returns the reason why ctx ended, the round is not read: call Get again, or
// [Reusable.Drop] the round. It blocks; its twin is [Reusable.GetAsync].
func (s *Reusable[T]) Get(ctx context.Context, r Round) (T, error) {
	budget.Yield()
	ctx, err := checkContext(ctx)
	if err != nil {
		var none T
		return none, err
	}
	v, mustWait, err := s.poll(r)
	if mustWait {
		return wait[T](ctx, &s.hiddenReusable, r)
	}
	return v, err
}

// GetAsync returns a job that completes with the result of the round, is Canceled when
// ctx ends first, or has faulted with an error of [Reusable.Get].
func (s *Reusable[T]) GetAsync(ctx context.Context, r Round) *job.Job[T] {
	ctx, err := checkContext(ctx)
	if err != nil {
		return promise.Failed[T](ctx, err)
	}
	v, mustWait, err := s.poll(r)
	switch {
	case mustWait:
		return waitAsync[T](ctx, &s.hiddenReusable, r)
	case err != nil:
		return job.FromError[T](err)
	}
	return job.FromResult(v)
}

// GetEnter is [Reusable.Get] as generated machines call it.
func (s *reusable[T]) GetEnter(run *statemachine.Run, ctx context.Context, r Round) (*statemachine.Waiting[T], T, error) {
	ctx, err := checkContext(ctx)
	if err != nil {
		var none T
		return endEntry[Round](run, s, none, err)
	}
	v, mustWait, err := s.poll(r)
	if mustWait {
		return enterWait[T](run, ctx, s, r), v, nil
	}
	return endEntry[Round](run, s, v, err)
}

// poll reads the round if it is set, or reports that it must wait.
func (s *reusable[T]) poll(r Round) (v T, mustWait bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read(r)
}

func (s *reusable[T]) read(r Round) (v T, mustWait bool, err error) {
	switch {
	case r != s.round || s.phase == roundIdle || !s.waiting.empty():
		return v, false, s.misuseError("read", r)
	case s.phase == roundPending:
		return v, true, nil
	}
	v, err = s.take()
	return v, false, err
}

// take ends the round, and keeps no reference to its result.
func (s *reusable[T]) take() (v T, err error) {
	var none T
	v, err = s.value, s.err
	s.phase, s.value, s.err = roundIdle, none, nil
	return v, err
}

// misuseError returns the error of an impossible call with the round r.
func (s *reusable[T]) misuseError(what string, r Round) error {
	why := "it is set already"
	switch {
	case r != s.round || s.phase == roundIdle:
		why = "it is over"
	case !s.waiting.empty():
		why = "a Get waits for it"
	}
	return fmt.Errorf("%w: cannot %s round %d: %s", ErrRound, what, r, why)
}

func (s *reusable[T]) guard() *interleave.Mutex { return &s.mu }

func (s *reusable[T]) admit(w *waiter) (decided outcomes) {
	c := callOf[T, Round](w)
	v, mustWait, err := s.read(c.request)
	if mustWait {
		s.waiting.push(w)
		return decided
	}
	c.value, w.err = v, err
	decided.add(w)
	return decided
}

func (s *reusable[T]) cancel(w *waiter) outcomes { return s.waiting.cancel(w) }

// waitName names what a reader waits for.
func (s *reusable[T]) waitName() string { return typeName((*Reusable[T])(nil)) + ".Get" }
