package pool

import "time"

// Option configures a pool that is being made.
type Option func(*Pool)

const (
	// DefaultMax is the most workers that a pool grows to unless [Workers] says
	// otherwise. Each work item that blocks in a system call holds an OS thread,
	// and a Go program dies at 10000 threads; the default stays well below.
	DefaultMax = 4096

	// DefaultStall is how long work stays queued without any progress before the pool
	// adds a worker, unless [AddAfter] says otherwise.
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

// AddAfter sets how long work stays queued, while all workers are busy and none takes
// or finishes anything, before the pool adds a worker. Zero or less switches this off:
// the pool then never runs more than the least number of workers, not counting workers
// that report that they block.
//
// A pool with this option uses that rule alone. Without it, the pool also replaces,
// within about a millisecond, workers that it sees waiting in a channel operation, a
// sleep or a system call. It replaces none while the number of goroutines of the
// program that run, or could, is at least the number of its workers that do not report
// that they block.
func AddAfter(d time.Duration) Option {
	return func(p *Pool) { p.stallFor, p.replacement.every = d, 0 }
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
