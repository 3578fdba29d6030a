// The program of the page getting-started: a first machine.
package main

import (
	"context"
	"fmt"
	"time"

	"github.com/movenext/movenext/job"
)

//go:generate go tool movenext ./...

// tick prints n times that a moment has passed.
//
//movenext:async
func tick(ctx context.Context, n int) error {
	for i := range n {
		if err := job.Sleep(ctx, 10*time.Millisecond); err != nil {
			return err
		}
		fmt.Println("tick", i+1)
	}
	return nil
}

func main() {
	ctx := context.Background()
	fmt.Println(tick(ctx, 1))

	ticks := tickAsync(ctx, 2)
	fmt.Println("we go on meanwhile")
	_, err := ticks.Wait(ctx)
	fmt.Println(err)
}
