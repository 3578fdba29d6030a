package pool

import "time"

// Option changes a pool that is being made.
type Option func(*Pool)

const (
	// DefaultMax is the most workers that a pool grows to if [Workers] does not say otherwise.
	// Work that blocks in system calls holds an OS thread each, and a Go program
	// dies at 10000 of those; the default stays well below.
	DefaultMax = 4096

	// DefaultStall is how long queued work waits without any progress before the pool
	// adds a worker, if [AddAfter] does not say otherwise.
	DefaultStall = 100 * time.Millisecond
)

// Workers sets how many workers the pool runs as soon as there is work for them
// (least), and to how many it may grow when work stalls (most).
//
// A least below 1 means GOMAXPROCS at the time of New, and a most below 1 means
// [DefaultMax]; a most below least is raised to it.
func Workers(least, most int) Option {
	return func(p *Pool) { p.min, p.max = least, most }
}

// AddAfter sets for how long work is queued, while all workers are busy and
// none takes anything, before the pool adds a worker. Zero or less switches this
// off: the pool then never runs more than the least number of workers, except for
// those that tell that they block.
//
// A pool with this option goes by that rule alone. Without it, the pool also replaces workers that are seen to wait
// in a channel, a sleep or a system call, within a millisecond or so: while no fewer goroutines of the program run, or
// could, than it has workers that do not say that they block, nobody is replaced.
func AddAfter(d time.Duration) Option {
	return func(p *Pool) { p.stallFor, p.replacement.every = d, 0 }
}

// Name names the pool in logs and traces.
func Name(name string) Option {
	return func(p *Pool) { p.name = name }
}

func (p *Pool) settleOptions() {
	if p.name == "" {
		p.name = "pool"
	}
	p.min, p.max = bounds(p.min, p.max)
}
