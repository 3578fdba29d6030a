// Five hundred callers wait inside a function that takes a function: as plain Go, and as machines.
package main

//go:generate go tool movenext .

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// again calls op until it succeeds, n times at most.
//
//movenext:async
func again(ctx context.Context, n int, op func(context.Context) (int, error)) (v int, err error) {
	for range n {
		if v, err = op(ctx); err == nil {
			return v, nil
		}
	}
	return v, err
}

// gate is what callers wait for.
type gate struct {
	open    *job.Job[int]
	waiting atomic.Int32
}

//movenext:async
func (g *gate) pass(context.Context) (int, error) {
	g.waiting.Add(1)
	return g.open.Await()
}

// caller waits at the gate, through two functions that take functions.
//
//movenext:async
func caller(ctx context.Context, g *gate) (int, error) {
	return again(ctx, 3, func(ctx context.Context) (int, error) {
		return again(ctx, 3, g.pass)
	})
}

const callers = 500

// held returns how many goroutines callers hold while they wait.
func held(ctx context.Context, start func(context.Context, *gate) *job.Job[int]) int {
	source := job.NewSource[int]()
	g := &gate{open: source.Job()}
	before := runtime.NumGoroutine()
	var jobs []*job.Job[int]
	for range callers {
		jobs = append(jobs, start(ctx, g))
	}
	for g.waiting.Load() < callers {
		runtime.Gosched()
	}
	during := runtime.NumGoroutine() - before
	source.TrySetResult(7)
	if _, err := job.WhenAll(jobs...).Wait(ctx); err != nil {
		fmt.Println(err)
	}
	return during
}

// plain starts a caller as plain Go, on a goroutine.
func plain(ctx context.Context, g *gate) *job.Job[int] {
	s := job.NewSource[int]()
	go func() { s.TrySet(caller(ctx, g)) }()
	return s.Job()
}

func main() {
	ctx := schedulers.With(context.Background(), pool.New(pool.Workers(1, 1)))
	const others = 10 // goroutines of the runtime and of tests that may begin or end meanwhile
	fmt.Println("plain Go: a goroutine each is held:", held(ctx, plain) > callers-others)
	fmt.Println("machines: less than ten are held: ", held(ctx, callerAsync) < others)
}
