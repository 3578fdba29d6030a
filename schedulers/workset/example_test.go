package workset_test

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/workset"
)

func Example() {
	set := workset.New(pool.New())
	ctx := context.Background()

	var found atomic.Int64
	for range 100 {
		search := do(func(on schedulers.Worker) {
			// Work may submit more work: Wait waits for that, too.
			more := do(func(schedulers.Worker) { found.Add(1) })
			if err := set.Submit(more, schedulers.Hint{From: on}); err != nil {
				fmt.Println(err)
			}
		})
		if err := set.Submit(search, schedulers.Hint{}); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(set.Wait(ctx), found.Load())
	// Output: <nil> 100
}
