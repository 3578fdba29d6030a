package retry

import (
	"errors"
	"time"
)

// ErrBudget is matched by the error of a call that has failed, and was not repeated because the
// [Budget] was spent.
var ErrBudget = errors.New("retry: the budget is spent")

// permanent is an error after which nothing is tried again.
type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// Permanent returns an error that makes [Do] and [Hedge] return err at once. It is nil if err is.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return permanent{err}
}

// after is an error with the pause that it calls for.
type after struct {
	error
	pause time.Duration
}

func (a after) Unwrap() error { return a.error }

// After returns an error that makes [Do] pause for the given time, whatever its policy says, as
// when a server has answered with Retry-After. The policy begins again from its first pause, if
// it has a method Reset. A pause of less than zero is none. It is nil if err is.
func After(pause time.Duration, err error) error {
	if err == nil {
		return nil
	}
	return after{err, max(pause, 0)}
}
