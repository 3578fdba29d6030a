// Foo, Bar and Baz awaited one after another. The function run is ordinary Go;
// next to it, in main_async.go, is the machine that `go generate` has made of it:
// three suspension points, so four parts, and a switch on the state. Both run
// here.
//
// The document behind it, step by step: docs/sources/job-model.md.
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
	if err := foo(ctx); err != nil {
		return err
	}
	if err := bar(ctx); err != nil {
		return err
	}
	return baz(ctx)
}

//movenext:async
func foo(ctx context.Context) error {
	err := job.Sleep(ctx, 1000*time.Millisecond)
	fmt.Println("Foo")
	return err
}

//movenext:async
func bar(ctx context.Context) error {
	err := job.Sleep(ctx, 100*time.Millisecond)
	fmt.Println("Bar")
	return err
}

//movenext:async
func baz(ctx context.Context) error {
	err := job.Sleep(ctx, 10*time.Millisecond)
	fmt.Println("Baz")
	return err
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
