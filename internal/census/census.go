// Package census counts the goroutines of the program that run or could run. Go
// gives no other information about goroutines that block without having said so:
//
//	a scheduler's goroutines - goroutines that run or could = those of it that wait, at least
//
// since at best all goroutines that run are the scheduler's. Other goroutines can
// only make the number too small, never too large.
package census

import "runtime/metrics"

// Counter counts. The zero value is ready. It is not safe for concurrent use.
type Counter struct{ samples []metrics.Sample }

// names are the metrics: first those of goroutines that run or could run.
var names = [...]string{
	"/sched/goroutines/running:goroutines",
	"/sched/goroutines/runnable:goroutines",
	"/sched/goroutines/not-in-go:goroutines",
}

// Active returns how many goroutines run or could run, the caller's among them.
// It takes some 80 ns and does not block.
func (c *Counter) Active() int { return c.count(2) }

// Busy is [Counter.Active] and the goroutines that are in a system call or in C:
// all that do not wait for another goroutine, a timer, or the network.
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
