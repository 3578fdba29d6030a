// Command 25-scope starts ten thousand children in a scope. Each waits until all have arrived, so
// that all wait at once. The children are function literals in an annotated function, and so they
// are machines: their waits hold no goroutine.
package main

//go:generate go tool movenext .

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/movenext/movenext/job"
)

const children = 10_000

// gather returns the number of children that have arrived, and the number of goroutines when the
// last of them did.
//
//movenext:async
func gather(ctx context.Context) (came int64, goroutines int, err error) {
	var count atomic.Int64
	all := job.NewSource[int]()
	err = job.InScope(ctx, func(ctx context.Context, s *job.Scope) error {
		for range children {
			s.Go(func(ctx context.Context) error {
				if count.Add(1) == children {
					all.TrySetResult(runtime.NumGoroutine())
				}
				_, err := all.Job().Await()
				return err
			})
		}
		goroutines, err = all.Job().Await()
		return err
	})
	return count.Load(), goroutines, err
}

func main() {
	v, err := gatherAsync(context.Background()).Wait(context.Background())
	fmt.Println(v.V1, "children waited at once, error:", err)
	fmt.Println("fewer than 50 goroutines:", v.V2 < 50)
}
