package metrics_test

import (
	"context"
	"expvar"
	"fmt"
	"log/slog"
	"os"

	"github.com/movenext/movenext/inspect/metrics"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/manual"
)

func Example() {
	c := metrics.Collect()
	defer c.Stop()
	expvar.Publish("movenext", c) // and http.Handle("/metrics", c) for Prometheus
	s := manual.New()
	job.Go(schedulers.With(context.Background(), s), func(context.Context) error { return nil })
	for _, m := range c.Read().Schedulers {
		if m.Submitted > 0 { // the end of a worker may be all that is heard of another one
			fmt.Println(m.Name, m.Submitted, "submitted,", m.Queued, "queued")
		}
	}
	s.RunAll()
	for _, m := range c.Read().Schedulers {
		if m.Submitted > 0 {
			fmt.Println(m.Name, m.Run.Count(), "timed")
		}
	}
	// Output:
	// manual.Scheduler 1 submitted, 1 queued
	// manual.Scheduler 1 timed
}

func ExampleOneIn() {
	c := metrics.Collect(metrics.OneIn(100)) // work costs next to nothing more
	defer c.Stop()
	fmt.Println(len(c.Read().Functions))
	// Output: 0
}

func ExampleLog() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "job" {
				return slog.Attr{}
			}
			return a
		},
	}))
	stop := metrics.Log(logger)
	j := job.Go(context.Background(), func(context.Context) error { return context.DeadlineExceeded }, job.Named("report"))
	<-j.Done()
	stop()
	// Output: level=WARN msg="movenext: job ended" name=report status=Faulted
}
