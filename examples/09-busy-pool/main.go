// Every worker of a pool is busy, and yet a job has to start. There are
// three ways: a dedicated thread, which other work cannot occupy; the flag for
// long-running work, which gets a goroutine outside the pool; and waiting, since
// a pool adds a worker when queued work makes no progress.
//
// The document behind it, step by step: docs/sources/dotnet.md.
package main

import (
	"context"
	"fmt"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/pool"
)

func main() {
	workers := pool.New(pool.Workers(1, 2), pool.AddAfter(5*time.Millisecond))
	thread := dedicated.New(1)
	ctx := schedulers.With(context.Background(), workers)

	occupied, letGo := make(chan struct{}), make(chan struct{})
	holder := job.Go(ctx, func(context.Context) error {
		close(occupied)
		<-letGo // a plain channel: the pool is not notified that this blocks
		return nil
	})
	<-occupied

	where := func(ctx context.Context) (string, error) {
		switch by := schedulers.WorkerFrom(ctx); {
		case by == nil:
			return "a goroutine of its own", nil
		case by.Scheduler() == schedulers.Scheduler(thread):
			return "the dedicated thread", nil
		default:
			return fmt.Sprintf("worker %d of the pool", by.ID()), nil
		}
	}
	show := func(what string, j *job.Job[string]) {
		place, err := j.Wait(context.Background())
		fmt.Printf("%s: on %s, %v; the holder is %v\n", what, place, err, holder.Status())
	}
	show("on its own thread", job.Run(ctx, where, job.On(thread)))
	show("flagged as long-running", job.Run(ctx, where, job.LongRunning()))
	show("queued like any other", job.Run(ctx, where))

	close(letGo)
	fmt.Println("shut down:", workers.Shutdown(context.Background()), thread.Shutdown(context.Background()))
}
