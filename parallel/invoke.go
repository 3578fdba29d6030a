package parallel

import (
	"context"
	"fmt"
)

// Invoke calls all functions, several at a time, and returns when all calls have ended.
// It blocks, and its caller takes part. A million functions cost a few hundred pieces
// of work, not a million.
//
// Errors, panics and the end of ctx are as in [For]: the first stops the rest. If one
// of them is nil, nothing is called, and the error is [ErrNilFunc]. For options, use
// [ForEach] over the functions.
func Invoke(ctx context.Context, funcs ...func(context.Context) error) error {
	for i, f := range funcs {
		if f == nil {
			return fmt.Errorf("parallel: function %d of %d: %w", i, len(funcs), ErrNilFunc)
		}
	}
	return For(ctx, 0, len(funcs), func(ctx context.Context, i int) error { return funcs[i](ctx) })
}
