package parallel

import "context"

// ForEach calls body with each item, several at a time, and returns when all calls have
// ended. It blocks, and its caller takes part. Errors, panics and the end of ctx are as
// in [For]; a failure of a sequence counts like that of a body. A stopped loop requests
// no more items from its sequence, but has to wait for an item that it has requested: a
// sequence that blocks should watch ctx itself.
//
// It is not a twin of [ForEachAsync], whose bodies return jobs: called in an async
// function it suspends where its body does, and blocks otherwise.
func ForEach[S Items[T], T any](ctx context.Context, items S, body func(ctx context.Context, item T) error, opts ...Option) error {
	if body == nil {
		return ErrNilFunc
	}
	slice, seq, isSlice := either[S, T](items)
	if isSlice {
		return For(ctx, 0, len(slice), func(ctx context.Context, i int) error { return body(ctx, slice[i]) }, opts...)
	}
	return forSequence(ctx, seq, func(ctx context.Context, _ int, item T) error { return body(ctx, item) }, opts)
}
