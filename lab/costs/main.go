// Command costs prints what each operation allocates: how often, and how many bytes, on
// the system that it runs on. docs/costs.md quotes it; a test compares the two.
//
//	go -C lab run ./costs
//
// Nothing in it depends on time or chance: the scheduler is a slot that allocates
// nothing, work runs where it was submitted, and the collector is off while an
// operation is counted.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/movenext/movenext/schedulers"
)

func main() { table(os.Stdout, measureAll()) }

// operation is one row: do is called many times. The allocations of beside are
// subtracted.
type operation struct {
	name   string
	do     func()
	beside func() // nil: nothing to subtract
}

// cost is what one operation allocates.
type cost struct {
	operation     string
	allocs, bytes int
}

func measureAll() []cost {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var list []cost
	b := newBench()
	defer b.cancel()
	for _, o := range b.operations() {
		allocs, bytes := measure(o.do)
		if o.beside != nil {
			a, b := measure(o.beside)
			allocs, bytes = allocs-a, bytes-b
		}
		list = append(list, cost{o.name, allocs, bytes})
	}
	return list
}

// measure returns the allocations of f, rounded to whole units: occasional allocations, such as
// the growth of the timers' heap, are averaged out. The runtime may start a thread during the
// measurement, which allocates as much as a thousand operations; so the result is the smallest of
// several counts.
func measure(f func()) (allocs, bytes int) {
	allocs, bytes = measureOnce(f)
	for range 4 {
		a, b := measureOnce(f)
		allocs, bytes = min(allocs, a), min(bytes, b)
	}
	return allocs, bytes
}

func measureOnce(f func()) (allocs, bytes int) {
	const rounds = 1000
	for range rounds {
		f()
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range rounds {
		f()
	}
	runtime.ReadMemStats(&after)
	per := func(n uint64) int { return int((n + rounds/2) / rounds) }
	return per(after.Mallocs - before.Mallocs), per(after.TotalAlloc - before.TotalAlloc)
}

func table(w io.Writer, costs []cost) {
	_, _ = fmt.Fprintln(w, "| operation | allocations | bytes |")
	_, _ = fmt.Fprintln(w, "| --- | ---: | ---: |")
	for _, c := range costs {
		_, _ = fmt.Fprintf(w, "| %s | %d | %d |\n", c.operation, c.allocs, c.bytes)
	}
}

// slot is a scheduler that holds one work item and allocates nothing.
type slot struct {
	work  schedulers.Work
	timer *schedulers.Timer
}

// Submit implements schedulers.Scheduler.
func (s *slot) Submit(w schedulers.Work, _ schedulers.Hint) error {
	s.work = w
	return nil
}

// run runs the submitted work, and the work that it submits.
func (s *slot) run() {
	if t := s.timer; t != nil {
		s.timer = nil
		t.OnExpire.Expire(t)
	}
	for s.work != nil {
		w := s.work
		s.work = nil
		w.Run(s)
	}
}

// Scheduler implements schedulers.Worker: the slot is the worker of its work.
func (s *slot) Scheduler() schedulers.Scheduler { return s }

// ID implements schedulers.Worker.
func (*slot) ID() int { return 1 }

// StartTimer implements schedulers.Timers: the timer expires with the next run.
func (s *slot) StartTimer(t *schedulers.Timer, _ time.Duration) { s.timer = t }

// StopTimer implements schedulers.Timers.
func (s *slot) StopTimer(*schedulers.Timer) bool { return false }
