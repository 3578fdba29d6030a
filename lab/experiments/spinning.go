package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/workstealing"
)

// do is work that is a function.
type do func(schedulers.Worker)

func (f do) Run(worker schedulers.Worker) { f(worker) }
func (f do) Abandon(error)                {}

// spinning submits one work item at a time, with a pause in between, so workers can only wait for
// the next one. A worker that keeps searching may find it sooner than one that has ended, but
// uses a processor in the meantime.
func spinning(out io.Writer, processors, items int) error {
	items = max(1, items/100)
	t := table(out, "looks", "from Submit to Run, mean", "processor time, each")
	for _, looks := range []int{1, 4, 16, 64, 256, 1024} {
		s := workstealing.New(workstealing.Processors(processors), workstealing.Looks(looks))
		waited, used := runAlone(s, items)
		if err := s.Shutdown(context.Background()); err != nil {
			return err
		}
		row(t, looks, (waited / time.Duration(items)).Round(10*time.Nanosecond), formatShare(used, items))
	}
	return t.Flush()
}

// formatShare formats a share of processor time.
func formatShare(used time.Duration, items int) string {
	if used < 0 {
		return "unknown on this system"
	}
	return fmt.Sprint((used / time.Duration(items)).Round(10 * time.Nanosecond))
}

// runAlone runs work items one after the other, with a pause of some 20 µs before
// each. It returns the sum of their waiting times, and the processor time of the
// process beyond that of the pauses.
func runAlone(s schedulers.Scheduler, items int) (waited, used time.Duration) {
	began := make(chan time.Time, 1)
	work := do(func(schedulers.Worker) { began <- time.Now() })
	before := cpuTime()
	for range items {
		compute(10_000)
		submitted := time.Now()
		if s.Submit(work, schedulers.Hint{}) != nil {
			continue
		}
		waited += (<-began).Sub(submitted)
	}
	used = cpuTime() - before
	before = cpuTime()
	for range items {
		compute(10_000)
	}
	if pauses := cpuTime() - before; before >= 0 {
		return waited, max(0, used-pauses)
	}
	return waited, -1
}
