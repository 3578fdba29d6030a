// A slow program, and how to find out whether its work waits in a queue, runs, or is suspended.
package main

import (
	"context"
	"fmt"
	"time"

	"github.com/movenext/movenext/inspect/metrics"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

//go:generate go tool movenext .

// query waits for a server.
//
//movenext:async
func query(ctx context.Context) error { return job.Sleep(ctx, 30*time.Millisecond) }

// render computes.
func render(context.Context) error {
	for end := time.Now().Add(30 * time.Millisecond); time.Now().Before(end); {
	}
	return nil
}

func main() {
	c := metrics.Collect() // metrics.OneIn(100) in production
	defer c.Stop()

	p := pool.New(pool.Workers(1, 1))
	ctx := schedulers.With(context.Background(), p)
	var all []job.Handle
	for range 4 {
		all = append(all, queryAsync(ctx), job.Go(ctx, render, job.Named("render")))
	}
	for _, j := range all {
		<-j.Done()
	}

	m := c.Read()
	for _, f := range m.Functions {
		switch run, suspended, start := f.Run.Sum, f.Suspended.Sum, f.Start.Sum; {
		case start > run && start > suspended:
			fmt.Println(f.Name, "waits for a worker")
		case run > suspended:
			fmt.Println(f.Name, "runs")
		default:
			fmt.Println(f.Name, "is suspended")
		}
	}
	for _, s := range m.Schedulers {
		fmt.Println(s.Name, "has works that were queued for more than a run:", s.Start.Sum > s.Run.Sum)
	}
	if err := p.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
}
