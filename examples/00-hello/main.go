// Hello: ordinary Go functions that also exist as state machines.
package main

//go:generate go tool movenext .

import (
	"context"
	"fmt"
	"time"

	"github.com/movenext/movenext/job"
)

//movenext:async
func greet(ctx context.Context, name string) (string, error) {
	if err := job.Sleep(ctx, 10*time.Millisecond); err != nil {
		return "", err
	}
	return "hello, " + name, nil
}

//movenext:async
func greetBoth(ctx context.Context, a, b string) (string, error) {
	first := greetAsync(ctx, a) // concurrency is explicit: both sleep at once
	second, err := greet(ctx, b)
	if err != nil {
		return "", err
	}
	text, err := first.Await()
	return text + " and " + second, err
}

func main() {
	ctx := context.Background()
	// Plain Go: each wait blocks this goroutine.
	fmt.Println(greetBoth(ctx, "Ann", "Bob"))
	// A machine: it holds no goroutine while it sleeps.
	fmt.Println(greetBothAsync(ctx, "Cy", "Dee").Wait(ctx))
}
