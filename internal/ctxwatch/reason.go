package ctxwatch

import (
	"context"
	"errors"
	"fmt"
)

// Reason returns why ctx has ended: an error that matches its Err, and its cause too if
// that says more. For a context that has not ended it returns nil.
func Reason(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	switch {
	case cause == nil || err == nil:
		return err
	case errors.Is(cause, err):
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}
