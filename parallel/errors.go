package parallel

import (
	"context"
	"errors"

	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/job"
)

var (
	// ErrNilFunc is job.ErrNilFunc: a body, one of the functions passed to [Invoke], or
	// a sequence is nil. In that case nothing has run.
	ErrNilFunc = job.ErrNilFunc

	// ErrOption is the error of a negative degree and of a negative chunk size. In that
	// case nothing has run.
	ErrOption = errors.New("parallel: bad option")
)

// contextError returns the reason why ctx ended.
func contextError(ctx context.Context) error { return ctxwatch.Reason(ctx) }

// endedBy reports whether err says that ctx has ended, and nothing else.
func endedBy(ctx context.Context, err error) bool {
	_, panicked := errors.AsType[*job.PanicError](err)
	return !panicked && ctxwatch.EndedBy(ctx, err)
}
