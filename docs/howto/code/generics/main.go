// Generic functions and types that are asynchronous: a cache in front of any store, which
// is a store itself.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/parallel"
)

// store has the plain form of Get. Its annotation declares storePair, which has both forms, so a
// call of Get through that suspends.
//
//movenext:async
type store[K, V any] interface {
	Get(ctx context.Context, key K) (V, error)
}

// cache keeps the values that it has got from another store.
type cache[K comparable, V any] struct {
	from  storePair[K, V]
	turns coord.KeyedMutex[K] // one requests a key, the others wait for it
	mu    sync.Mutex          // guards known
	known map[K]V
}

// Get queries the other store once for each key.
//
//movenext:async
func (c *cache[K, V]) Get(ctx context.Context, key K) (V, error) {
	if err := c.turns.Lock(ctx, key); err != nil {
		return *new(V), err
	}
	defer c.turns.Unlock(key)
	if v, ok := c.look(key); ok {
		return v, nil
	}
	v, err := c.from.Get(ctx, key)
	if err == nil {
		c.keep(key, v)
	}
	return v, err
}

func (c *cache[K, V]) look(key K) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok = c.known[key]
	return v, ok
}

func (c *cache[K, V]) keep(key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known[key] = v
}

// all gets a value for each key. S is a type parameter: any type with both forms.
//
//movenext:async
func all[K, V any, S storePair[K, V]](ctx context.Context, s S, keys []K) ([]V, error) {
	return parallel.Map(ctx, keys, func(ctx context.Context, key K) (V, error) { return s.Get(ctx, key) })
}

// orElse takes any function, and suspends in it if an annotated function gives one that does.
//
//movenext:async
func orElse[K, V any](ctx context.Context, get func(context.Context, K) (V, error), key K, otherwise V) (V, error) {
	v, err := get(ctx, key)
	if errors.Is(err, errUnknown) {
		return otherwise, nil
	}
	return v, err
}

//movenext:async
func priceOf(ctx context.Context, c *cache[string, int], name string) (int, error) {
	return orElse(ctx, c.Get, name, 1)
}

var errUnknown = errors.New("unknown")

// prices is a store that takes a millisecond.
type prices struct {
	of    map[string]int
	asked atomic.Int64
}

// Get looks a price up.
//
//movenext:async
func (p *prices) Get(ctx context.Context, name string) (int, error) {
	p.asked.Add(1)
	if err := job.Sleep(ctx, time.Millisecond); err != nil {
		return 0, err
	}
	price, ok := p.of[name]
	if !ok {
		return 0, errUnknown
	}
	return price, nil
}

func main() {
	ctx := context.Background()
	p := &prices{of: map[string]int{"tea": 3, "coffee": 4}}
	c := &cache[string, int]{from: storeOf(p), known: map[string]int{}}
	fmt.Println(allAsync(ctx, c, []string{"tea", "coffee", "tea", "tea"}).Wait(ctx))
	fmt.Println("asked:", p.asked.Load())
	fmt.Println(priceOfAsync(ctx, c, "milk").Wait(ctx))
}
