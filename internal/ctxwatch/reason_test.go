package ctxwatch

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestReasonMatchesErrorAndCause(t *testing.T) {
	cause := errors.New("cause")
	ctx, cancel := context.WithCancelCause(t.Context())
	assert.NoError(t, Reason(ctx))
	cancel(cause)
	assert.ErrorIs(t, Reason(ctx), context.Canceled)
	assert.ErrorIs(t, Reason(ctx), cause)

	wrapped := fmt.Errorf("stop: %w", context.Canceled)
	ctx, cancel = context.WithCancelCause(t.Context())
	cancel(wrapped)
	assert.Same(t, wrapped, Reason(ctx), "a cause that says it all is the reason")
}
