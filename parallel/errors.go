package parallel

import (
	"context"
	"errors"
	"fmt"

	"github.com/movenext/movenext/job"
)

var (
	// ErrNilFunc is job.ErrNilFunc: a body, one of the functions given to [Invoke], or
	// a sequence is nil. Nothing has run then.
	ErrNilFunc = job.ErrNilFunc

	// ErrOption is the error of a negative degree and of a negative chunk size.
	// Nothing has run then.
	ErrOption = errors.New("parallel: bad option")
)

// contextError returns why ctx ended: its Err, and its cause too where that
// says more.
func contextError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	switch {
	case cause == nil:
		return err
	case errors.Is(cause, err):
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}
