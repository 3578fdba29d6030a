package inspect_test

import (
	"context"
	"testing"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/job"
)

// BenchmarkJobs starts jobs and waits for them, as work W1 of the table does: without hooks, with
// hooks for one job in a hundred, and for each.
func BenchmarkJobs(b *testing.B) {
	hear := func(inspect.Event) {}
	for _, c := range []struct {
		name  string
		begin func() (stop func())
	}{
		{"off", func() func() { return func() {} }},
		{"observe 1 in 100", func() func() { return inspect.Observe(hear, inspect.Sample(100)) }},
		{"track 1 in 100", func() func() { return inspect.Track(inspect.Sample(100)) }},
		{"observe all", func() func() { return inspect.Observe(hear) }},
		{"track all", func() func() { return inspect.Track() }},
	} {
		b.Run(c.name, func(b *testing.B) {
			stop := c.begin()
			defer stop()
			jobs := make([]*job.Job[int], 1000)
			b.ReportAllocs()
			for b.Loop() {
				for i := range jobs {
					jobs[i] = job.Run(context.Background(), func(context.Context) (int, error) { return i, nil })
				}
				for _, j := range jobs {
					if _, err := j.Wait(context.Background()); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
