// Package nilctx lets the packages of durable functions accept a nil context.
package nilctx

import "context"

// Background returns ctx, or [context.Background] if ctx is nil.
func Background(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
