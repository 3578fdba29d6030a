package gen

import (
	"context"
	"time"

	"github.com/movenext/movenext/durable/internal/nilctx"
)

// Plain supplies signals and sleeps to the plain form of a durable function. Package durabletest
// has one. durable.EncodeSignal returns the payload of a signal.
type Plain interface {
	// Receive returns the name and the encoded payload of the next signal with one of the names.
	Receive(ctx context.Context, timeout time.Duration, names ...string) (name string, payload []byte, err error)
	// Sleep waits for d, or until ctx ends.
	Sleep(ctx context.Context, d time.Duration) error
}

type plainKey struct{}

// WithPlain returns a context under which the plain form of a durable function runs.
func WithPlain(ctx context.Context, p Plain) context.Context {
	return context.WithValue(nilctx.Background(ctx), plainKey{}, p)
}

// PlainOf returns the Plain of a context, and whether it has one.
func PlainOf(ctx context.Context) (Plain, bool) {
	p, ok := nilctx.Background(ctx).Value(plainKey{}).(Plain)
	return p, ok
}
