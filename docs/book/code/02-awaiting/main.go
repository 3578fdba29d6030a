// Three operations in a row, written three times: as callbacks, as plain Go, and as the
// machine that the tool makes of the plain Go.
package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/movenext/movenext/job"
)

//go:generate go tool movenext .

// callbacks chains the operations: each is a function that runs when the one
// before it has ended.
func callbacks(ctx context.Context) *job.Job[string] {
	foo := job.Run(ctx, func(ctx context.Context) (string, error) { return say(ctx, "foo") })
	bar := job.Then(ctx, foo, func(ctx context.Context, text string) (string, error) {
		more, err := say(ctx, "bar")
		return text + " " + more, err
	})
	return job.Then(ctx, bar, func(ctx context.Context, text string) (string, error) {
		more, err := say(ctx, "baz")
		return text + " " + more, err
	})
}

// straight does the same, in plain Go.
//
//movenext:async
func straight(ctx context.Context) (string, error) {
	text, err := say(ctx, "foo")
	for _, word := range []string{"bar", "baz"} {
		if err != nil {
			return "", err
		}
		var more string
		more, err = say(ctx, word)
		text += " " + more
	}
	return text, err
}

// say takes a moment to say a word.
//
//movenext:async
func say(ctx context.Context, word string) (string, error) {
	err := job.Sleep(ctx, time.Millisecond)
	return word, err
}

// wait waits for a job that a test or the main function completes.
//
//movenext:async
func wait(j *job.Job[int]) (int, error) { return j.Await() }

// held returns how many goroutines a thousand waiting calls hold, to the nearest hundred: another
// goroutine may be just ending. A call returns a function that waits for its end.
func held(call func(j *job.Job[int]) (end func())) int {
	before := runtime.NumGoroutine()
	source := job.NewSource[int]()
	var ends []func()
	for range 1000 {
		ends = append(ends, call(source.Job()))
	}
	during := runtime.NumGoroutine()
	source.TrySetResult(1)
	for _, end := range ends {
		end()
	}
	return (during-before+1050)/100*100 - 1000
}

// plain calls the plain form on a goroutine: there is no other way to continue
// meanwhile.
func plain(j *job.Job[int]) (end func()) {
	var group sync.WaitGroup
	group.Go(func() { _, _ = wait(j) })
	return group.Wait
}

// machine calls the other form.
func machine(j *job.Job[int]) (end func()) {
	m := waitAsync(j)
	return func() { _, _ = m.Wait(context.Background()) }
}

func main() {
	ctx := context.Background()
	fmt.Println(callbacks(ctx).Wait(ctx))
	fmt.Println(straight(ctx))
	fmt.Println(straightAsync(ctx).Wait(ctx))

	fmt.Println("plain:  ", held(plain), "goroutines")
	fmt.Println("machine:", held(machine), "goroutines")
}
