package pool

import (
	"time"
)

// Option configures a pool that is being made.
type Option func(*Pool)

const (
	// DefaultMax is the number of workers to which a pool grows at most, unless [Workers]
	// sets another. Each work item that blocks in a system call holds an OS thread, and
	// the Go runtime ends the program at 10000 threads; the default stays well below.
	DefaultMax = 4096

	// DefaultStall is how long work stays queued without any progress before the pool
	// adds a worker, unless [AddAfter] sets another time.
	DefaultStall = 100 * time.Millisecond
)

// Workers sets how many workers the pool runs as soon as there is work for them
// (minWorkers), and how many it may grow to when work stalls (maxWorkers).
//
// A minWorkers below 1 means GOMAXPROCS at the time of New, and a maxWorkers below 1 means
// [DefaultMax]; a maxWorkers below minWorkers is raised to it.
func Workers(minWorkers, maxWorkers int) Option {
	return func(p *Pool) { p.min, p.max = minWorkers, maxWorkers }
}

// AddAfter sets how long work stays queued, while all workers are busy and none takes
// or finishes anything, before the pool adds a worker. Zero or less switches this off:
// the pool then never runs more than minWorkers workers, not counting workers
// that report that they block.
//
// A pool with this option uses that rule alone. Without the option, the pool also
// replaces, within about a millisecond, workers that it finds waiting in a channel
// operation, a sleep or a system call. It replaces none while at least as many goroutines
// of the program are running or runnable as the pool has workers outside of Block.
func AddAfter(d time.Duration) Option {
	return func(p *Pool) { p.stallTimeout, p.replacement.interval = d, 0 }
}

// Name names the pool in logs and traces.
func Name(name string) Option {
	return func(p *Pool) { p.name = name }
}

func (p *Pool) resolveOptions() {
	if p.name == "" {
		p.name = "pool"
	}
	p.min, p.max = bounds(p.min, p.max)
}
