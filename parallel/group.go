package parallel

import (
	"context"
	"hash/maphash"
	"sync"

	"github.com/movenext/movenext/internal/promise"
)

// GroupBy returns the items by the keys that key returns for them, calling it for several
// at a time. The items of a group are in their order among items, or with [AsCompleted]
// in the order in which their keys became known. GroupBy blocks, and its caller takes
// part.
//
// Errors, panics and the end of ctx are as in [For]; then it returns no groups. Without
// items the map is empty. It is GroupBy of .NET's PLINQ. A map has no order, so a caller
// that needs one sorts the keys.
func GroupBy[S Items[T], T any, K comparable](ctx context.Context, items S, key func(ctx context.Context, item T) (K, error), opts ...Option) (map[K][]T, error) {
	g, err := keyed(ctx, items, key, false, opts)
	return ending(err, func(err error) (map[K][]T, error) {
		if err != nil {
			return nil, err
		}
		return g.groups(), nil
	})
}

// Distinct returns one item for each key that key returns, calling key for several at a
// time. It returns the first item with each key, in the order of items. With
// [AsCompleted] it returns the items whose keys became known first, in that order.
// Distinct blocks, and its caller takes part.
//
// Errors, panics and the end of ctx are as in [For]; then it returns no items. It is
// DistinctBy of .NET.
func Distinct[S Items[T], T any, K comparable](ctx context.Context, items S, key func(ctx context.Context, item T) (K, error), opts ...Option) ([]T, error) {
	g, err := keyed(ctx, items, key, true, opts)
	return ending(err, func(err error) ([]T, error) {
		if err != nil {
			return nil, err
		}
		return g.firsts(), nil
	})
}

// keyed records the key of each item.
func keyed[S Items[T], T any, K comparable](ctx context.Context, items S, key func(ctx context.Context, item T) (K, error), one bool, opts []Option) (*shards[K, T], error) {
	if key == nil {
		return nil, ErrNilFunc
	}
	s, err := settingsOf(opts)
	if err != nil {
		return nil, err
	}
	g, rank := &shards[K, T]{seed: maphash.MakeSeed(), one: one}, ranking(s)
	return g, eachItem(ctx, items, func(ctx context.Context, i int, item T) error {
		k, err := key(ctx, item)
		if err != nil {
			return later(err, func(k K, err error) error {
				if err != nil {
					return err
				}
				return g.contained(k, rank(i), item)
			})
		}
		g.note(k, rank(i), item)
		return nil
	}, opts)
}

// shards are items by key. Each key belongs to one shard, so that goroutines with
// different keys rarely meet at a lock.
type shards[K comparable, T any] struct {
	seed maphash.Seed
	one  bool // keep the first item of each key only
	of   [64]shard[K, T]
}

type shard[K comparable, T any] struct {
	mu sync.Mutex
	by map[K][]indexed[T]
}

func (g *shards[K, T]) note(k K, at int, item T) {
	s := &g.of[maphash.Comparable(g.seed, k)%uint64(len(g.of))]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by == nil {
		s.by = map[K][]indexed[T]{}
	}
	switch known := s.by[k]; {
	case !g.one || len(known) == 0:
		s.by[k] = append(known, indexed[T]{at, item})
	case at < known[0].at:
		known[0] = indexed[T]{at, item}
	}
}

// contained is note for calls outside of a body. It contains the panic of a key in an
// interface whose type cannot be compared.
func (g *shards[K, T]) contained(k K, at int, item T) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = promise.Panic(v)
		}
	}()
	g.note(k, at, item)
	return nil
}

// groups returns the items by key, once all bodies have ended.
func (g *shards[K, T]) groups() map[K][]T {
	all := map[K][]T{}
	for i := range g.of {
		for k, items := range g.of[i].by {
			all[k] = sorted(items)
		}
	}
	return all
}

// firsts returns the only item of each key, once all bodies have ended.
func (g *shards[K, T]) firsts() []T {
	var all []indexed[T]
	for i := range g.of {
		for _, items := range g.of[i].by {
			all = append(all, items...)
		}
	}
	return sorted(all)
}
