// Foo, Bar and Baz awaited one after the other. The function run is ordinary Go; beside it,
// in main_async.go, is the machine that `go generate` has made of it: three
// suspension points, so four parts, and a switch on the state. Both run here.
package main

//go:generate go tool movenext .

import (
	"context"
	"fmt"
	"time"

	"github.com/movenext/movenext/job"
)

//movenext:async
func run(ctx context.Context) error {
	if err := step(ctx, "Foo", 1000*time.Millisecond); err != nil {
		return err
	}
	if err := step(ctx, "Bar", 100*time.Millisecond); err != nil {
		return err
	}
	return step(ctx, "Baz", 10*time.Millisecond)
}

//movenext:async
func step(ctx context.Context, name string, takes time.Duration) error {
	if err := job.Sleep(ctx, takes); err != nil {
		return err
	}
	fmt.Println(name)
	return nil
}

func main() {
	ctx := context.Background()

	fmt.Println("as plain Go:")
	if err := run(ctx); err != nil {
		fmt.Println(err)
	}

	fmt.Println("as a machine:")
	machine := runAsync(ctx)
	fmt.Println("started:", machine.Status())
	if _, err := machine.Wait(ctx); err != nil {
		fmt.Println(err)
	}
}
