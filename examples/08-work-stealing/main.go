// A processor with nothing to do steals from a loaded one: half of the queue each time, the oldest
// first. Here one processor is held by a job that has started seven others and waits for them
// without notifying the scheduler. The newest of the seven is in the slot that a thief empties
// last. The other processor becomes free and takes three of six, then two of three, then one, then
// the one in the slot.
//
// The document behind it, step by step: docs/sources/go.md.
package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/workstealing"
)

func main() {
	// Without patience no processor is taken from a job that holds it.
	s := workstealing.New(workstealing.Processors(2), workstealing.Patience(0), workstealing.Trace(func(e workstealing.Event) {
		if e.Decision == workstealing.Stole {
			fmt.Println("a thief takes", e.Works)
		}
	}))
	ctx := schedulers.With(context.Background(), s)

	busy, free := make(chan struct{}), make(chan struct{})
	other := job.Go(ctx, func(context.Context) error {
		close(busy)
		<-free
		return nil
	})
	loaded := job.Go(ctx, func(ctx context.Context) error {
		<-busy // both processors are held now
		var seven sync.WaitGroup
		for i := range 7 {
			seven.Add(1)
			_ = job.Go(ctx, func(context.Context) error {
				defer seven.Done()
				fmt.Println("  job", i+1, "runs")
				return nil
			})
		}
		fmt.Println("seven jobs are queued here")
		close(free)
		seven.Wait() // holds the processor
		return nil
	})
	_, err := job.WhenAll(other, loaded).Wait(context.Background())
	fmt.Println("all have ended:", err)
	fmt.Println("shut down:", s.Shutdown(context.Background()))
}
