// The three functions of the chapter before, as the tool makes machines of them.
package main

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
)

//go:generate go tool movenext .

//movenext:async
func greet(name *job.Job[string]) (string, error) {
	text, err := name.Await()
	return "hello, " + text, err
}

//movenext:async
func sum(a, b *job.Job[int]) (int, error) {
	x, err := a.Await()
	if err != nil {
		return 0, err
	}
	y, err := b.Await()
	return x + y, err
}

//movenext:async
func total(parts []*job.Job[int]) (int, error) {
	all := 0
	for _, part := range parts {
		n, err := part.Await()
		if err != nil {
			return all, err
		}
		all += n
	}
	return all, nil
}

// greetSum calls two functions that have twins: each call is a suspension point.
//
//movenext:async
func greetSum(name *job.Job[string], a, b *job.Job[int]) (string, error) {
	text, err := greet(name)
	if err != nil {
		return "", err
	}
	n, err := sum(a, b)
	return fmt.Sprint(text, ", ", n), err
}

func main() {
	ctx := context.Background()
	name, a, b := job.NewSource[string](), job.NewSource[int](), job.NewSource[int]()
	both := greetSumAsync(name.Job(), a.Job(), b.Job())
	name.TrySetResult("Ann")
	a.TrySetResult(40)
	b.TrySetResult(2)
	fmt.Println(both.Wait(ctx))
	fmt.Println(totalAsync([]*job.Job[int]{a.Job(), b.Job()}).Wait(ctx))
}
