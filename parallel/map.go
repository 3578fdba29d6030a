package parallel

import (
	"context"
	"sync"
)

// Map returns the results of f for each item, calling it for several at a time.
// The results are in the order of the items, or with [AsCompleted] in the order
// in which they were completed. Map blocks, and its caller takes part.
//
// Errors, panics and the end of ctx are as in [For]; then it returns no results.
func Map[S Items[T], T, R any](ctx context.Context, items S, f func(ctx context.Context, item T) (R, error), opts ...Option) ([]R, error) {
	if f == nil {
		return nil, ErrNilFunc
	}
	s, err := settingsOf(opts)
	if err != nil {
		return nil, err
	}
	slice, seq, isSlice := either[S, T](items)
	out := newResults[R](len(slice), isSlice, s)
	if isSlice {
		err = For(ctx, 0, len(slice), func(ctx context.Context, i int) error {
			r, err := f(ctx, slice[i])
			return out.keep(i, r, err)
		}, opts...)
	} else {
		err = forSequence(ctx, seq, func(ctx context.Context, i int, item T) error {
			r, err := f(ctx, item)
			return out.keep(i, r, err)
		}, opts)
	}
	return conclude(err, func(err error) ([]R, error) {
		if err != nil {
			return nil, err
		}
		return out.all, nil
	})
}

// results collects the results of bodies.
type results[R any] struct {
	placed   bool // all already has its length: each result has its own place
	appended bool // in the order of completion

	mu  sync.Mutex
	all []R // guarded by mu unless placed
}

func newResults[R any](n int, known bool, s settings) *results[R] {
	r := &results[R]{placed: known && !s.asCompleted, appended: s.asCompleted}
	if r.placed {
		r.all = make([]R, n)
	} else {
		r.all = make([]R, 0, n)
	}
	return r
}

// keep keeps the result of the item at index i, unless there is an error, which it
// returns. The error may mean that the body has suspended and the result comes later.
func (r *results[R]) keep(i int, result R, err error) error {
	if err != nil {
		return deferResult(err, func(result R, err error) error { return r.keep(i, result, err) })
	}
	if r.placed {
		r.all[i] = result
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.appended {
		r.all = append(r.all, result)
		return nil
	}
	if missing := i + 1 - len(r.all); missing > 0 {
		r.all = append(r.all, make([]R, missing)...)
	}
	r.all[i] = result
	return nil
}
