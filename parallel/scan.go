package parallel

import "context"

// Scan returns all intermediate results of a fold over items: element i of the result is
// the fold of items 0 to i. It blocks, and its caller takes part.
//
// It cuts the items into blocks, folds each, beginning with zero, and then merges the
// total of all earlier blocks into each element of a block. So fold is called once for
// each item, and merge less than once for each. The requirements of [Reduce] apply here
// too: merge must be associative, and zero must be neutral. In addition, a value that
// fold or merge has returned must not change later, since it is part of the result: a
// fold that appends to a slice has to return a new one.
//
// The result depends only on the items and on [Chunk]: it is the same on any number of
// workers, to the last bit of a floating-point sum.
//
// Scan needs all items and returns all results at the end. To get the results of a
// stream one by one, keep the sum in an async function that yields it after each value.
//
// Errors, panics and the end of ctx are as in [For]; then it returns no results. It is
// the two-pass algorithm of Blelloch, "Prefix Sums and Their Applications", by blocks.
func Scan[S ~[]T, T, A any](ctx context.Context, items S, zero A, fold func(ctx context.Context, acc A, item T) (A, error), merge func(a, b A) A, opts ...Option) ([]A, error) {
	if fold == nil || merge == nil {
		return nil, ErrNilFunc
	}
	s, err := settingsOf(opts)
	if err != nil {
		return nil, err
	}
	p := &prefixes[A]{all: make([]A, len(items)), merge: merge, size: int(min(blockSize(len(items), s), maxBlocks)), degree: s.degree}
	err = For(ctx, 0, len(items), func(ctx context.Context, i int) error {
		acc := zero
		if i%p.size != 0 {
			acc = p.all[i-1]
		}
		v, err := fold(ctx, acc, items[i])
		if err != nil {
			return deferResult(err, func(v A, err error) error {
				p.all[i] = v
				return err
			})
		}
		p.all[i] = v
		return nil
	}, Degree(s.degree), Chunk(p.size))
	return conclude(err, func(err error) ([]A, error) {
		if err == nil {
			err = p.carry(withoutEnd(ctx))
		}
		if err != nil {
			return nil, err
		}
		return p.all, nil
	})
}

// prefixes are the results of a Scan. After the first pass they are the results within
// each block.
type prefixes[A any] struct {
	all    []A
	merge  func(a, b A) A
	size   int // of a block
	degree int
}

// carry merges the total of all earlier blocks into each result.
func (p *prefixes[A]) carry(ctx context.Context) error {
	n := len(p.all)
	if n <= p.size {
		return nil
	}
	before := make([]A, (n-1)/p.size+1) // each block; the first has none
	err := For(ctx, 0, 1, func(context.Context, int) error {
		before[1] = p.all[p.size-1]
		for b := 2; b < len(before); b++ {
			before[b] = p.merge(before[b-1], p.all[b*p.size-1])
		}
		return nil
	})
	if err != nil {
		return err
	}
	return ForBlocks(ctx, p.size, n, func(_ context.Context, lo, hi int) error {
		for i := lo; i < hi; i++ {
			p.all[i] = p.merge(before[i/p.size], p.all[i])
		}
		return nil
	}, Degree(p.degree), Chunk(p.size))
}

// withoutEnd is ctx without its end: once all folds have succeeded, the second pass always runs.
func withoutEnd(ctx context.Context) context.Context {
	if c, ok := ctx.(byMachine); ok {
		return callerWithoutEnd(c)
	}
	if ctx == nil {
		return nil
	}
	return context.WithoutCancel(ctx)
}
