// Package census counts the goroutines of the program that are running or runnable. Go
// gives no other information about goroutines that block without announcing it:
//
//	a scheduler's goroutines - goroutines running or runnable <= its goroutines that wait
//
// since at best all these goroutines are the scheduler's. Other goroutines can only make
// the number on the left too small, never too large.
package census

import "runtime/metrics"

// Counter counts. The zero value is ready. It is not safe for concurrent use.
type Counter struct{ samples []metrics.Sample }

// names lists the metrics, beginning with those of running and runnable goroutines.
var names = [...]string{
	"/sched/goroutines/running:goroutines",
	"/sched/goroutines/runnable:goroutines",
	"/sched/goroutines/not-in-go:goroutines",
}

// Active returns how many goroutines are running or runnable, including the caller's. It
// takes some 80 ns and does not block.
func (c *Counter) Active() int { return c.count(2) }

// Busy returns [Counter.Active] plus the goroutines that are in a system call or in C: all
// goroutines that do not wait for another goroutine, a timer, or the network.
func (c *Counter) Busy() int { return c.count(len(names)) }

func (c *Counter) count(metric int) int {
	if len(c.samples) != metric {
		c.samples = make([]metrics.Sample, metric)
		for i := range c.samples {
			c.samples[i].Name = names[i]
		}
	}
	metrics.Read(c.samples)
	n := uint64(0)
	for i := range c.samples {
		if v := c.samples[i].Value; v.Kind() == metrics.KindUint64 {
			n += v.Uint64()
		}
	}
	return int(n)
}
