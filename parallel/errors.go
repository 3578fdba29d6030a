package parallel

import (
	"context"
	"errors"

	"github.com/movenext/movenext/internal/ctxwatch"
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

// contextError returns the reason why ctx ended.
func contextError(ctx context.Context) error { return ctxwatch.Reason(ctx) }
