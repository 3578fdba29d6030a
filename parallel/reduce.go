package parallel

import (
	"context"

	"github.com/movenext/movenext/job"
)

// Reduce folds items into one value, several at a time. It cuts the items into blocks,
// folds each, beginning with zero, and merges neighbouring results until one is left.
// It blocks, and its caller takes part.
//
// merge(fold…(zero), fold…(zero)) has to equal one fold over all items, so merge must be
// associative and zero must be neutral. merge need not be commutative, because only
// neighbours are merged, the earlier one first. Every block begins with zero: a map or a
// pointer that fold writes to would be shared by all blocks. In that case let zero be
// nil, and let fold make the map.
//
// The blocks depend only on the number of items and on [Chunk], and so does the
// order of all merges. Thus the result is the same on any number of workers and
// in each run, to the last bit of a floating-point sum.
//
// Errors and panics are as in [For]: no fold begins after the first one that failed.
// Without items the result is zero.
func Reduce[S ~[]T, T, A any](ctx context.Context, items S, zero A, fold func(ctx context.Context, acc A, item T) (A, error), merge func(a, b A) A, opts ...Option) (A, error) {
	if fold == nil || merge == nil {
		return zero, ErrNilFunc
	}
	s, err := settingsOf(opts)
	if err != nil {
		return zero, err
	}
	r := &reduction[T, A]{items: items, zero: zero, fold: fold, merge: merge, size: blockSize(len(items), s)}
	r.reduce = r.reducePart
	if c, ok := ctx.(byMachine); ok {
		return r.runForMachine(c, s, opts)
	}
	return Run(ctx, r.run, opts...)
}

// reduction is one Reduce.
type reduction[T, A any] struct {
	items []T
	zero  A
	fold  func(context.Context, A, T) (A, error)
	merge func(A, A) A
	size  uint // of a block

	folded []A // the blocks, if they have been folded already

	// The method reducePart as a function: a method value made at each use would allocate.
	reduce func(*Worker, part) A
}

// part stands for the blocks from lo to hi-1; there is at least one.
type part struct{ lo, hi uint }

// targetBlocks is the approximate number of blocks of a reduction: enough for many
// workers, and few enough that merging them costs almost nothing.
const targetBlocks = 256

func blockSize(items int, s settings) uint {
	if s.chunk > 0 {
		return uint(s.chunk)
	}
	return max(1, uint(items)/targetBlocks)
}

func (r *reduction[T, A]) run(w *Worker) (A, error) {
	if len(r.items) == 0 {
		return r.zero, nil
	}
	acc := r.reduce(w, part{0, ceilDiv(uint(len(r.items)), r.size)})
	if _, err := w.team.outcome(); err != nil {
		return r.zero, err
	}
	return acc, nil
}

// reducePart folds one block, or merges the results of two halves. Once the operation
// has stopped, its result is meaningless, and no user function gets it.
func (r *reduction[T, A]) reducePart(w *Worker, p part) A {
	switch {
	case p.hi-p.lo > 1:
	case r.folded != nil:
		return r.folded[p.lo]
	default:
		return r.foldBlock(w, p.lo)
	}
	mid := (p.lo + p.hi) / 2
	a, b := Join(w, r.reduce, part{p.lo, mid}, part{mid, p.hi})
	if w.team.stopped.Load() {
		return r.zero
	}
	return r.merge(a, b)
}

func (r *reduction[T, A]) foldBlock(w *Worker, block uint) A {
	acc, end := r.zero, min((block+1)*r.size, uint(len(r.items)))
	ctx := w.Context()
	for _, item := range r.items[block*r.size : end] {
		if !w.team.continues() {
			return r.zero
		}
		var err error
		if acc, err = r.fold(ctx, acc, item); err != nil {
			w.team.fail(err)
			return r.zero
		}
	}
	return acc
}

// runForMachine is Reduce for a machine: a loop folds the blocks, each from its first item
// to its last, and may suspend. The merging that is then left only computes, on the
// caller's goroutine and its helpers'.
func (r *reduction[T, A]) runForMachine(ctx byMachine, s settings, opts []Option) (result A, err error) {
	if err := new(operation).begin(ctx); err != nil {
		return result, err
	}
	if len(r.items) == 0 {
		return r.zero, nil
	}
	r.folded = make([]A, ceilDiv(uint(len(r.items)), r.size))
	for i := range r.folded {
		r.folded[i] = r.zero
	}
	err = For(ctx, 0, len(r.items), func(ctx context.Context, i int) error {
		acc := &r.folded[uint(i)/r.size]
		next, err := r.fold(ctx, *acc, r.items[i])
		if err != nil {
			return deferResult(err, func(next A, err error) error {
				if err == nil {
					*acc = next
				}
				return err
			})
		}
		*acc = next
		return nil
	}, Degree(s.degree), Chunk(int(r.size)))
	return conclude(err, func(err error) (result A, _ error) {
		if _, panicked := err.(*job.PanicError); panicked {
			return result, err
		}
		if err != nil {
			return r.zero, err
		}
		return Run(callerWithoutEnd(ctx), r.run, opts...)
	})
}

// callerWithoutEnd is the machine's context without its end: merges are always made once
// all folds have succeeded.
func callerWithoutEnd(c byMachine) context.Context {
	if c.Context == nil {
		return nil
	}
	return context.WithoutCancel(c.Context)
}
