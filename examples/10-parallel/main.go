// A million functions, and a loop over a million indexes, split into few ranges. The loop is cut
// into blocks; the workers take them, and so does the caller, which would otherwise only wait. The
// program counts the blocks, and shows which indexes a helper takes from a caller that is blocked
// by its first one.
//
// The document behind it, step by step: docs/sources/dotnet.md.
package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/parallel"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

const million = 1_000_000

func main() {
	workers := pool.New(pool.Workers(2, 2))
	ctx := schedulers.With(context.Background(), workers)
	invoke(ctx, workers)
	blocks(ctx)
	shares(ctx)
	alone(ctx, workers)
	fmt.Println("shut down:", workers.Shutdown(context.Background()))
}

// invoke calls a million functions.
func invoke(ctx context.Context, workers *pool.Pool) {
	var called atomic.Int64
	funcs := make([]func(context.Context) error, million)
	for i := range funcs {
		funcs[i] = func(context.Context) error { called.Add(1); return nil }
	}
	err := parallel.Invoke(ctx, funcs...)
	fmt.Println("a million functions; called:", called.Load(), err)
	fmt.Println("  work items for them: fewer than ten:", workers.Metrics().Submitted < 10)
}

// blocks sums up the indexes, a block at a time. Without Chunk the size of a block depends
// on how long the body takes.
func blocks(ctx context.Context) {
	var sum, n atomic.Int64
	err := parallel.ForBlocks(ctx, 0, million, func(_ context.Context, from, to int) error {
		part := 0
		for i := from; i < to; i++ {
			part += i
		}
		sum.Add(int64(part)) // once a block, not once an index
		n.Add(1)
		return nil
	}, parallel.Chunk(5000))
	fmt.Println("a loop over a million indexes, 5000 a block; their sum:", sum.Load(), err)
	fmt.Println("  blocks:", n.Load())
}

// shares runs sixteen indexes in blocks of one. The goroutine that gets the first index
// waits until all others are done: another one takes them.
func shares(ctx context.Context) {
	var others sync.WaitGroup
	others.Add(15)
	var held, took atomic.Int64
	err := parallel.For(ctx, 0, 16, func(ctx context.Context, i int) error {
		if i == 0 {
			others.Wait()
			held.Add(1)
			return nil
		}
		took.Add(1)
		others.Done()
		return nil
	}, parallel.Degree(2), parallel.Chunk(1))
	fmt.Println("sixteen indexes, the first one holds up its goroutine:", held.Load(), "taken by another meanwhile:", took.Load(), err)
}

// alone runs the loop with a degree of one: it is a plain loop of the caller.
func alone(ctx context.Context, workers *pool.Pool) {
	before, called := workers.Metrics().Submitted, 0 // no other goroutine counts
	err := parallel.For(ctx, 0, million, func(context.Context, int) error { called++; return nil }, parallel.Degree(1))
	fmt.Println("a million indexes, by the caller alone:", called, err, "work items:", workers.Metrics().Submitted-before)
}
