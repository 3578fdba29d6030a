package parallel

import (
	"context"
	"fmt"
)

// For calls body with each of from, from+1, … to-1, several at a time, and returns when
// all calls have ended. It blocks, and its caller takes part, so it makes progress with
// any number of workers, on a worker, and inside another loop.
//
// The first error stops the loop: no further body begins, the context of those
// that run is canceled with that error as its cause, and For returns it when they
// have ended. A panic in a body is such an error, a *job.PanicError. If ctx ends,
// the loop stops too, and For returns the reason. A loop whose bodies have all returned
// nil has succeeded, even if ctx has ended meanwhile.
//
// The bodies get a child of ctx that names the worker on which they run. They are called
// in no particular order. If to is not greater than from, no body is called.
func For(ctx context.Context, from, to int, body func(ctx context.Context, i int) error, opts ...Option) error {
	if body == nil {
		return ErrNilFunc
	}
	l := &loop{each: true}
	return l.run(ctx, from, to, func(ctx context.Context, lo, hi int) error {
		for i := lo; i < hi && l.continues(); i++ {
			if err := body(ctx, i); err != nil {
				return err
			}
		}
		return nil
	}, opts)
}

// ForBlocks is [For] for bodies so short that a call for each index would be most
// of the work: body is called with the ends of a block and handles the indexes lo, lo+1,
// … hi-1 itself. The loop can be stopped only between blocks. The partition decides the
// size and the number of the blocks ([Chunk], [Range], [Stealing]); none is empty.
func ForBlocks(ctx context.Context, from, to int, body func(ctx context.Context, lo, hi int) error, opts ...Option) error {
	if body == nil {
		return ErrNilFunc
	}
	return new(loop).run(ctx, from, to, body, opts)
}

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
