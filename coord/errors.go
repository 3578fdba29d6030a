package coord

import (
	"context"
	"errors"
	"fmt"

	"github.com/movenext/movenext/job"
)

var (
	// ErrClosed is the error of a send to a closed [Channel] or [Broadcast], of a
	// receive when such a channel or broadcast has nothing left, of a receive from a
	// closed [Subscription], of a closed [Watch] whose last value has been seen, and of
	// a closed [ObjectPool].
	ErrClosed = errors.New("coord: closed")

	// ErrFull is returned by sends that found no room and do not wait for it.
	ErrFull = errors.New("coord: full")

	// ErrEmpty is returned by TryReceive if there is no element yet, and by the TryNext
	// of an [Observer].
	ErrEmpty = errors.New("coord: empty")

	// ErrRound is the error of a misused [Reusable]: a round is set or read twice, too
	// late, or by two callers at a time, or is begun while another one is still unread.
	ErrRound = errors.New("coord: misused round")

	// ErrBroken is for functions that an [ObjectPool] calls in Use: if their error
	// matches ErrBroken, the object is not lent again.
	ErrBroken = errors.New("coord: the object is broken")

	// ErrNegativeWeight is returned for an Acquire of a negative number of
	// permits.
	ErrNegativeWeight = errors.New("coord: negative weight")

	// ErrTooHeavy is returned for an Acquire of more permits than the [Semaphore] has,
	// which could never succeed.
	ErrTooHeavy = errors.New("coord: more than the semaphore has")

	// ErrQueueFull is returned by [Limiter.Acquire] if the limiter's queue has no room for
	// another waiter.
	ErrQueueFull = errors.New("coord: too many wait for the limiter")
)

// MissedError is returned once by the receive of a [Subscription] that was too slow for
// a [Broadcast] with [DropOldest]. The next receive continues with the oldest element
// that is still kept.
type MissedError struct {
	// Count is how many elements were missed since the last received one.
	Count uint64
}

// Error implements error.
func (e *MissedError) Error() string {
	if e.Count == 1 {
		return "coord: missed 1 element"
	}
	return fmt.Sprintf("coord: missed %d elements", e.Count)
}

// closedError is the error of a primitive closed with the given cause, which may be
// nil.
func closedError(cause error) error {
	switch {
	case cause == nil:
		return ErrClosed
	case errors.Is(cause, ErrClosed):
		return cause
	}
	return fmt.Errorf("%w: %w", ErrClosed, cause)
}

// checkContext returns ctx, or a background context for nil. If the context has ended, it also
// returns the reason.
func checkContext(ctx context.Context) (context.Context, error) {
	if ctx == nil {
		return context.Background(), nil
	}
	if ctx.Err() != nil {
		return ctx, endReason(ctx)
	}
	return ctx, nil
}

// endReason returns the error of a wait that ctx has ended: ctx's Err, and its cause if
// that adds information. A job's Wait reports the same error, so both forms of an
// operation fail alike.
func endReason(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// waitEndReason returns the reason of a *job.WaitError, and any other error unchanged. A user's
// context may be done and have no error: even then, giving up must not look like success.
func waitEndReason(err error) error {
	wait, ok := errors.AsType[*job.WaitError](err)
	switch {
	case !ok:
		return err
	case wait.Err == nil:
		return context.Canceled
	}
	return wait.Err
}
