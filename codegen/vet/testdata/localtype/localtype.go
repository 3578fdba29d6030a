// Package localtype has values whose types are declared in annotated functions.
package localtype

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/job"
)

type entry struct{ key, value any }

type store struct{ last any }

func (*store) put(key any, err error) {}

func (*store) log(what string, args ...any) {}

func (*store) decode(into any) {}

func same[T any](v T) T { return v }

var (
	cache  sync.Map
	latest atomic.Value
	byKey  = map[any]int{}
	last   any
	queue  = make(chan any, 1)
)

//movenext:async
func keys(ctx context.Context, s *store) {
	type key int
	type name struct{ first string }
	job.Yield()
	cache.Load(key(1))                          // want `key\(1\) is kept in an interface, and its type key is declared in this function; the function and its machine have a type key each, so neither finds or recognises what the other has stored; declare key outside of the function \[localtype\]`
	cache.Store("k", name{"x"})                 // want `type name is declared`
	latest.Store(&name{})                       // want `type name is declared`
	ctx = context.WithValue(ctx, key(1), "one") // want `type key is declared`
	_ = ctx.Value(any(key(1)))                  // want `type key is declared`
	byKey[key(1)]++                             // want `type key is declared`
	_ = byKey[[2]key{}]                         // want `type key is declared`
	last = name{}                               // want `type name is declared`
	s.last = []name{}                           // want `type name is declared`
	//movenext:allow blocking there is room
	queue <- key(1)                           // want `type key is declared`
	_ = entry{key(1), nil}                    // want `type key is declared`
	_ = &entry{value: map[string]name{}}      // want `type name is declared`
	cache.Swap("m", map[any]any{key(1): nil}) // want `type key is declared`
	s.put(key(1), nil)                        // want `type key is declared`
	cache.Delete(key(2))                      //movenext:allow localtype only this form stores it
	var held any = key(3)
	cache.Delete(held)                        // want `type key is declared`
	func() { cache.Clear(); last = key(4) }() // want `type key is declared`
}

//movenext:async
func fails(ctx context.Context, s *store) (any, error) {
	type notFound struct{ error }
	type result struct{ n int }
	err := errors.New("x")
	if err := job.Sleep(ctx, 1); err != nil {
		return result{1}, notFound{err} // want `type result is declared` `type notFound is declared`
	}
	s.put(nil, notFound{err})                             // want `type notFound is declared`
	_ = errors.Join(err, notFound{err})                   // want `type notFound is declared`
	return nil, fmt.Errorf("wrapped: %w", &notFound{err}) // want `type notFound is declared`
}

// What looks at a value, or keeps it no longer than the call, is not reported.
//
//movenext:async
func harmless(ctx context.Context, s *store, data []byte) (int, error) {
	type point struct{ X, Y int }
	type group struct {
		any
		points []point
	}
	var p point
	job.Yield()
	if err := json.Unmarshal(data, &p); err != nil {
		return 0, fmt.Errorf("decode %v: %w", p, err)
	}
	fmt.Println(p, &p)
	s.log("got", p)
	s.decode(&p)
	var any1 any = p
	local := map[any]int{p: 1}
	local[p] = 2
	_ = group{any: any1, points: same([]point{p})}
	switch x := any1.(type) {
	case point:
		return x.X, nil
	}
	cache.Store("k", entry{})
	return local[p], nil
}

// Plain code has one type only.
func plainKeys() {
	type key int
	cache.Load(key(1))
}
