// Command 20-async-stack shows which machine waits for which. A waiting machine
// has no goroutine, so no stack that a debugger would show. Its frames know where
// they stopped, and a panic reports what waited at that moment.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/movenext/movenext/job"
)

//movenext:async
func read(ctx context.Context, arrived *job.Job[int]) (int, error) {
	n, err := arrived.Await()
	if n > 3 {
		panic("too much to read")
	}
	return n, err
}

//movenext:async
func parse(ctx context.Context, arrived *job.Job[int]) (int, error) {
	n, err := read(ctx, arrived)
	return 10 * n, err
}

//movenext:async
func serve(ctx context.Context, arrived *job.Job[int]) (string, error) {
	n, err := parse(ctx, arrived)
	return fmt.Sprint(n, " parsed"), err
}

func show(stack []job.Frame) {
	for _, f := range stack {
		switch {
		case f.File != "":
			fmt.Printf("  %s, suspended at %s:%d\n", f.Function, path.Base(f.File), f.Line)
		case f.Function != "":
			fmt.Printf("  %s, running\n", f.Function)
		}
	}
}

func main() {
	ctx := context.Background()
	arrived := job.NewSource[int]()
	served := serveAsync(ctx, arrived.Job())

	fmt.Println("the waiters of the data:")
	show(job.AsyncStack(arrived.Job()))

	arrived.TrySetResult(4)
	_, err := served.Wait(ctx)
	fmt.Println(err)
	var p *job.PanicError
	if errors.As(err, &p) {
		fmt.Println("the waiters when it panicked:")
		show(p.Async)
	}
}
