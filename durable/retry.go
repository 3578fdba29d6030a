package durable

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// Retry sets how often a step that returns an error is tried, and the pauses between attempts.
// The zero value tries once. Attempts that ended in a crash of the process do not count as
// failures.
type Retry struct {
	Attempts int           // the maximum number of failures; 0 and 1: one
	First    time.Duration // before the second attempt; 0: one second
	Factor   float64       // ratio of a pause to the previous one, at least one; 0: two
	Most     time.Duration // the longest pause; 0: one hour
	Timeout  time.Duration // of one attempt, whose context then ends; 0: none

	// Heartbeat is the longest time that an attempt may go without a call of [Heartbeat]. After
	// that its context ends, and its error also matches ErrNoHeartbeat. 0: forever.
	Heartbeat time.Duration

	// Never lists errors, found with errors.Is, after which the step is not retried. Steps are
	// never retried after errors marked by [Permanent].
	Never []error
}

// WithRetry returns the context for one call of a step that has a policy of its own, instead of
// that of its engine ([RetryStep]): its timeout, its attempts and their pauses.
//
//	limit := durable.Retry{Attempts: 3, Timeout: time.Minute}
//	paid, err := s.charge(durable.WithRetry(ctx, limit), card)
//
// The policy is saved with the arguments. So its errors Never have to be registered: see
// [RegisterError]. A policy with another one, or that Open would refuse, makes the instance stuck.
// In the plain form, and everywhere else, WithRetry returns ctx.
func WithRetry(ctx context.Context, _ Retry) context.Context { return ctx }

// encodePolicy returns a policy as it is saved.
func encodePolicy(r Retry) ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("durable: WithRetry: %w", err)
	}
	data, err := outcome(&r)
	if err != nil {
		return nil, err
	}
	var saved Retry
	if err := decodeAlone(data, valueOf(&saved)); err != nil {
		return nil, err
	}
	for n, never := range r.Never {
		if !sameError(saved.Never[n], never) {
			return nil, fmt.Errorf("durable: WithRetry: the error %q is not registered: see RegisterError", textOf(never))
		}
	}
	return data, nil
}

// policy returns the policy of the present step: that of its call, or of the engine.
func (r *run) policy() Retry {
	var saved Retry
	if r.doc.Retry != nil && decodeAlone(r.doc.Retry, valueOf(&saved)) == nil {
		return saved
	}
	return r.e.retry(r.doc.Step)
}

// check refuses a policy that cannot be meant.
func (r Retry) check() error {
	switch {
	case r.Factor != 0 && !(r.Factor >= 1) || math.IsInf(r.Factor, 0): // NaN is not
		return fmt.Errorf("the factor is %v: it has to be at least 1", r.Factor)
	case r.Attempts < 0:
		return fmt.Errorf("there cannot be %d attempts", r.Attempts)
	}
	for name, d := range map[string]time.Duration{"First": r.First, "Most": r.Most, "Timeout": r.Timeout, "Heartbeat": r.Heartbeat} {
		if d < 0 {
			return fmt.Errorf("%s is %v: it cannot be negative", name, d)
		}
	}
	return nil
}

// next reports whether a step with this many failures is tried again, and after which pause.
func (r Retry) next(err error, failures int) (pause time.Duration, ok bool) {
	if failures >= r.Attempts || errors.As(err, new(permanent)) {
		return 0, false
	}
	for _, never := range r.Never {
		if errors.Is(err, never) {
			return 0, false
		}
	}
	pause, limit, factor := cmp.Or(r.First, time.Second), cmp.Or(r.Most, time.Hour), cmp.Or(r.Factor, 2)
	for range failures - 1 {
		next := float64(pause) * factor
		if next >= float64(limit) {
			return limit, true
		}
		pause = time.Duration(next)
	}
	return min(pause, limit), true
}
