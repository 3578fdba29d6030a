package parallel

import (
	"context"
	"errors"

	"github.com/movenext/movenext/job"
)

// A merge that suspends cannot be called by Join, which returns no error. So with such a merge,
// machines call these forms of Reduce and Scan, whose merges are bodies of loops. The order of all
// merges is that of the other forms.

// reduceMerging is [Reduce] for a merge that may suspend.
//
//movenext:async
func reduceMerging[T, A any](ctx context.Context, items []T, zero A, fold func(ctx context.Context, acc A, item T) (A, error), merge func(a, b A) A, opts []Option) (result A, err error) { //nolint:unused // its machine is
	if fold == nil || merge == nil {
		return zero, ErrNilFunc
	}
	s, err := settingsOf(opts)
	if err != nil {
		return zero, err
	}
	if err := new(operation).begin(ctx); err != nil {
		return result, err
	}
	size := blockSize(len(items), s)
	folded := make([]A, ceilDiv(uint(max(1, len(items))), size))
	for i := range folded {
		folded[i] = zero
	}
	err = For(ctx, 0, len(items), func(ctx context.Context, i int) error {
		acc := &folded[uint(i)/size]
		next, err := fold(ctx, *acc, items[i])
		if err == nil {
			*acc = next
		}
		return err
	}, Degree(s.degree), Chunk(int(size)))
	if err == nil {
		err = For(withoutEnd(ctx), 0, 1, func(ctx context.Context, _ int) (err error) {
			result, err = mergeParts(ctx, folded, merge)
			return err
		})
	}
	if _, panicked := errors.AsType[*job.PanicError](err); err != nil && !panicked {
		return zero, err
	}
	return result, err
}

// mergeParts merges neighbouring results until one is left. There is at least one.
//
//movenext:async
func mergeParts[A any](ctx context.Context, parts []A, merge func(a, b A) A) (A, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	mid := len(parts) / 2
	var merged [2]A
	err := For(ctx, 0, 2, func(ctx context.Context, i int) (err error) {
		if i == 0 {
			merged[0], err = mergeParts(ctx, parts[:mid], merge)
		} else {
			merged[1], err = mergeParts(ctx, parts[mid:], merge)
		}
		return err
	})
	if err != nil {
		var none A
		return none, err
	}
	return merge(merged[0], merged[1]), nil
}

// scanMerging is [Scan] for a merge that may suspend.
//
//movenext:async
func scanMerging[T, A any](ctx context.Context, items []T, zero A, fold func(ctx context.Context, acc A, item T) (A, error), merge func(a, b A) A, opts []Option) ([]A, error) { //nolint:unused // its machine is
	if fold == nil || merge == nil {
		return nil, ErrNilFunc
	}
	s, err := settingsOf(opts)
	if err != nil {
		return nil, err
	}
	size, all := int(min(blockSize(len(items), s), maxBlocks)), make([]A, len(items))
	err = For(ctx, 0, len(items), func(ctx context.Context, i int) (err error) {
		acc := zero
		if i%size != 0 {
			acc = all[i-1]
		}
		all[i], err = fold(ctx, acc, items[i])
		return err
	}, Degree(s.degree), Chunk(size))
	if err != nil {
		return nil, err
	}
	before := make([]A, max(1, (len(items)+size-1)/size)) // each block; the first has none
	if len(before) == 1 {
		return all, nil
	}
	ctx = withoutEnd(ctx)
	err = For(ctx, 0, 1, func(context.Context, int) error {
		before[1] = all[size-1]
		for b := 2; b < len(before); b++ {
			before[b] = merge(before[b-1], all[b*size-1])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = For(ctx, size, len(items), func(_ context.Context, i int) error {
		all[i] = merge(before[i/size], all[i])
		return nil
	}, Degree(s.degree), Chunk(size))
	if err != nil {
		return nil, err
	}
	return all, nil
}
