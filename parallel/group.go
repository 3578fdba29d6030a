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
	g, err := shardByKey(ctx, items, key, false, opts)
	return conclude(err, func(err error) (map[K][]T, error) {
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
	g, err := shardByKey(ctx, items, key, true, opts)
	return conclude(err, func(err error) ([]T, error) {
		if err != nil {
			return nil, err
		}
		return g.firsts(), nil
	})
}

// shardByKey records the key of each item.
func shardByKey[S Items[T], T any, K comparable](ctx context.Context, items S, key func(ctx context.Context, item T) (K, error), first bool, opts []Option) (*shards[K, T], error) {
	if key == nil {
		return nil, ErrNilFunc
	}
	s, err := settingsOf(opts)
	if err != nil {
		return nil, err
	}
	g, rank := &shards[K, T]{seed: maphash.MakeSeed(), firstOnly: first}, ranking(s)
	return g, forItems(ctx, items, func(ctx context.Context, i int, item T) error {
		k, err := key(ctx, item)
		if err != nil {
			return deferResult(err, func(k K, err error) error {
				if err != nil {
					return err
				}
				return g.tryNote(k, rank(i), item)
			})
		}
		g.note(k, rank(i), item)
		return nil
	}, opts)
}

// shards are items by key. Each key belongs to one shard, so that goroutines with
// different keys rarely meet at a lock.
type shards[K comparable, T any] struct {
	seed      maphash.Seed
	firstOnly bool // keep the first item of each key only
	all       [64]shard[K, T]
}

type shard[K comparable, T any] struct {
	mu    sync.Mutex
	byKey map[K][]indexed[T]
}

func (g *shards[K, T]) note(k K, index int, item T) {
	s := &g.all[maphash.Comparable(g.seed, k)%uint64(len(g.all))]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byKey == nil {
		s.byKey = map[K][]indexed[T]{}
	}
	switch known := s.byKey[k]; {
	case !g.firstOnly || len(known) == 0:
		s.byKey[k] = append(known, indexed[T]{index, item})
	case index < known[0].index:
		known[0] = indexed[T]{index, item}
	}
}

// tryNote is note for calls outside of a body. It contains the panic of a key in an
// interface whose type cannot be compared.
func (g *shards[K, T]) tryNote(k K, index int, item T) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = promise.Panic(v)
		}
	}()
	g.note(k, index, item)
	return nil
}

// groups returns the items by key, once all bodies have ended.
func (g *shards[K, T]) groups() map[K][]T {
	all := map[K][]T{}
	for i := range g.all {
		for k, items := range g.all[i].byKey {
			all[k] = sortItems(items)
		}
	}
	return all
}

// firsts returns the only item of each key, once all bodies have ended.
func (g *shards[K, T]) firsts() []T {
	var all []indexed[T]
	for i := range g.all {
		for _, items := range g.all[i].byKey {
			all = append(all, items...)
		}
	}
	return sortItems(all)
}
