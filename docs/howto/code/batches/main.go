// Functions that a library starts as jobs.
package main

//go:generate go tool movenext .

import (
	"context"
	"fmt"
	"time"

	"github.com/movenext/movenext/docs/howto/code/batches/batch"
	"github.com/movenext/movenext/job"
)

// size fetches the size of a file.
//
//movenext:async
func size(ctx context.Context, name string) (int, error) {
	return len(name), job.Sleep(ctx, time.Millisecond)
}

//movenext:async
func sizes(ctx context.Context, names ...string) (map[string]int, error) {
	b := batch.New(ctx)
	found := make([]int, len(names))
	for i, name := range names {
		b.Submit(func(ctx context.Context) (err error) {
			found[i], err = size(ctx, name) // suspends in a job of the batch
			return err
		})
	}
	_, err := b.End().Await()
	all := map[string]int{}
	for i, name := range names {
		all[name] = found[i]
	}
	return all, err
}

func main() {
	ctx := context.Background()
	fmt.Println(sizesAsync(ctx, "notes", "music", "home").Wait(ctx))
}
