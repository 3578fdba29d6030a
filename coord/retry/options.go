package retry

import (
	"time"

	"github.com/movenext/movenext/schedulers"
)

// Option limits or observes the attempts of one call of [Do] or [Hedge].
type Option func(*terms)

type terms struct {
	attempts int           // the most; 0: without a limit
	longest  time.Duration // all attempts may take; negative: without a limit
	retried  schedulers.Hook[*verdict]
	budget   *Budget
	notify   schedulers.Hook[Failure]
}

// Attempts limits the number of calls of the operation, the first one included. Less than one
// means one.
func Attempts(n int) Option { return func(t *terms) { t.attempts = max(n, 1) } }

// Within limits the time of all attempts: a pause that would end later than d after the first
// attempt began is not begun. It interrupts no attempt, which a context with a deadline does. The
// time is that of the scheduler of the context, if it has a clock of its own, as a simulation.
func Within(d time.Duration) Option { return func(t *terms) { t.longest = max(d, 0) } }

// If limits the failures after which the operation is called again: those for which transient
// returns true. Without it, all are that are not [Permanent]. A panic in transient is contained,
// and the failure is final: see [schedulers.Hook].
func If(transient func(error) bool) Option {
	return func(t *terms) {
		t.retried = schedulers.NewHook("retry.If", func(v *verdict) { v.transient = transient(v.err) })
	}
}

// verdict is what a program says about a failure.
type verdict struct {
	err       error
	transient bool
}

// Spending takes each repetition from b. If b is spent, there is none.
func Spending(b *Budget) Option { return func(t *terms) { t.budget = b } }

// Failure is a failed attempt that another one will follow.
type Failure struct {
	Err     error
	Attempt int           // the number of the failed one, from one
	Pause   time.Duration // until the next one
}

// Notify sets fn to be called before each pause of [Do]: to log, to count. A panic in fn is
// contained: see [schedulers.Hook].
func Notify(fn func(Failure)) Option {
	return func(t *terms) { t.notify = schedulers.NewHook("retry.Notify", fn) }
}
