package parallel

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// Filter returns the items for which keep returns true, calling it for several at a
// time. They are in the order of items, or with [AsCompleted] in the order in which they
// were found. Filter blocks, and its caller takes part.
//
// Errors, panics and the end of ctx are as in [For]; then it returns no items. It is
// called Where in .NET's PLINQ, and filter in rayon.
func Filter[S Items[T], T any](ctx context.Context, items S, keep func(ctx context.Context, item T) (bool, error), opts ...Option) ([]T, error) {
	if keep == nil {
		return nil, ErrNilFunc
	}
	s, err := settingsOf(opts)
	if err != nil {
		return nil, err
	}
	var kept indexedItems[T]
	note := kept.note
	if slice, _, isSlice := either[S, T](items); isSlice && !s.asCompleted {
		flags := make([]bool, len(slice)) // one writer each: no lock
		note = func(i int, _ T) { flags[i] = true }
		kept.gather = func() []T { return selectFlagged(slice, flags) }
	}
	rank := ranking(s)
	err = forItems(ctx, items, func(ctx context.Context, i int, item T) error {
		keeps := func(yes bool, err error) error {
			if err == nil && yes {
				note(rank(i), item)
			}
			return err
		}
		yes, err := keep(ctx, item)
		if err != nil {
			return deferResult(err, keeps)
		}
		return keeps(yes, nil)
	}, opts)
	return conclude(err, func(err error) ([]T, error) {
		if err != nil {
			return nil, err
		}
		return kept.items(), nil
	})
}

// forItems runs body for each item, with the number of items before it.
func forItems[S Items[T], T any](ctx context.Context, items S, body func(ctx context.Context, i int, item T) error, opts []Option) error {
	slice, seq, isSlice := either[S, T](items)
	if isSlice {
		return For(ctx, 0, len(slice), func(ctx context.Context, i int) error { return body(ctx, i, slice[i]) }, opts...)
	}
	return forSequence(ctx, seq, body, opts)
}

// ranking returns the function that maps the index of an item to its place among the
// results: the index itself or, with AsCompleted, the next place in the order of completion.
func ranking(s settings) func(i int) int {
	if !s.asCompleted {
		return func(i int) int { return i }
	}
	completed := new(atomic.Int64)
	return func(int) int { return int(completed.Add(1)) }
}

// selectFlagged returns the items whose flags are set.
func selectFlagged[T any](items []T, flags []bool) []T {
	n := 0
	for _, yes := range flags {
		if yes {
			n++
		}
	}
	kept := make([]T, 0, n)
	for i, yes := range flags {
		if yes {
			kept = append(kept, items[i])
		}
	}
	return kept
}

// indexed is an item with its index.
type indexed[T any] struct {
	index int
	item  T
}

// indexedItems are items that arrive in any order.
type indexedItems[T any] struct {
	gather func() []T // if set, the fields below are unused

	mu  sync.Mutex
	all []indexed[T]
}

func (x *indexedItems[T]) note(index int, item T) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.all = append(x.all, indexed[T]{index, item})
}

// items returns the items by their places, once all bodies have ended.
func (x *indexedItems[T]) items() []T {
	if x.gather != nil {
		return x.gather()
	}
	return sortItems(x.all)
}

// sortItems returns the items by their places.
func sortItems[T any](all []indexed[T]) []T {
	slices.SortFunc(all, func(a, b indexed[T]) int { return cmp.Compare(a.index, b.index) })
	items := make([]T, len(all))
	for i, x := range all {
		items[i] = x.item
	}
	return items
}
