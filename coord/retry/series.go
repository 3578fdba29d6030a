package retry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// stop is the pause after the last attempt.
const stop = time.Duration(-1)

// series are the attempts of one call of Do or Hedge.
type series struct {
	terms

	policy Policy
	began  time.Duration
	calls  int  // so far
	spent  bool // the budget did not allow another one
}

func begin(ctx context.Context, policy Policy, opts []Option) *series {
	s := &series{terms: terms{longest: -1}, policy: policy, began: now(ctx)}
	for _, set := range opts {
		set(&s.terms)
	}
	s.reset()
	s.budget.earn()
	return s
}

// reset lets the policy begin again.
func (s *series) reset() {
	if p, ok := s.policy.(interface{ Reset() }); ok {
		p.Reset()
	}
}

// count counts an attempt, and returns the pause before the next one, or stop and the error that
// Do returns.
func (s *series) count(ctx context.Context, err error) (time.Duration, error) {
	s.calls++
	if err == nil || ctx.Err() != nil || s.isFinal(err) {
		return stop, unmarked(err)
	}
	pause := s.pause(ctx, err)
	if pause < 0 || !s.spend() {
		return stop, s.givenUp(err)
	}
	s.notify.Call(Failure{unmarked(err), s.calls, pause})
	return pause, nil
}

// isFinal reports whether a failure ends the series, whatever the policy is.
func (s *series) isFinal(err error) bool {
	if errors.As(err, new(permanent)) {
		return true
	}
	v := verdict{err: err, transient: !s.retried.IsSet()}
	s.retried.Call(&v)
	return !v.transient
}

// spend reports whether the budget allows another attempt.
func (s *series) spend() bool {
	s.spent = !s.budget.spend()
	return !s.spent
}

// pause returns the pause before the next attempt, or stop. The error may be nil.
func (s *series) pause(ctx context.Context, err error) time.Duration {
	if s.calls == s.attempts {
		return stop
	}
	pause := s.policy.NextBackOff()
	if pause < 0 {
		return stop
	}
	var server after
	if errors.As(err, &server) {
		pause = server.pause
		s.reset()
	}
	if s.longest >= 0 && now(ctx)-s.began+pause > s.longest {
		return stop
	}
	return pause
}

// givenUp returns the error of the last attempt as Do and Hedge return it.
func (s *series) givenUp(last error) error {
	if s.spent {
		return fmt.Errorf("%w after attempt %d: %w", ErrBudget, s.calls, unmarked(last))
	}
	return fmt.Errorf("retry: gave up after attempt %d: %w", s.calls, unmarked(last))
}

// unmarked returns an error without what Permanent and After have added.
func unmarked(err error) error {
	switch marked := err.(type) {
	case permanent:
		return marked.error
	case after:
		return marked.error
	}
	return err
}

// reason returns why ctx has ended: its error and its cause.
func reason(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// start is the zero of times that are read from the clock of the process.
var start = time.Now()

// now returns the time of ctx's scheduler if it has a clock, else that of the process.
func now(ctx context.Context) time.Duration {
	if c, ok := schedulers.FromContext(ctx).(interface{ Now() time.Duration }); ok {
		return c.Now()
	}
	return time.Since(start)
}

// orBackground returns the context that a nil one stands for.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
