// Three functions as machines, written by hand: one await, two, and one in a loop.
package main

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
)

func main() {
	ctx := context.Background()

	name := job.NewSource[string]()
	greeting := greetByHand(name.Job())
	fmt.Println(greeting.Status(), "until the name arrives")
	name.TrySetResult("Ann")
	fmt.Println(greeting.Wait(ctx))

	a, b := job.NewSource[int](), job.NewSource[int]()
	both := sumByHand(a.Job(), b.Job())
	b.TrySetResult(2) // nothing waits for it yet
	a.TrySetResult(40)
	fmt.Println(both.Wait(ctx))

	parts := []*job.Source[int]{job.NewSource[int](), job.NewSource[int](), job.NewSource[int]()}
	all := totalByHand(jobs(parts))
	for i, part := range parts {
		part.TrySetResult(i + 1)
	}
	fmt.Println(all.Wait(ctx))
}

func jobs[T any](sources []*job.Source[T]) []*job.Job[T] {
	var all []*job.Job[T]
	for _, s := range sources {
		all = append(all, s.Job())
	}
	return all
}
