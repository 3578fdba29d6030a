package durable

import (
	"sync/atomic"

	"github.com/movenext/movenext/internal/histogram"
)

// Metrics counts the work of an engine since it was opened.
type Metrics struct {
	Started   uint64 // instances, by this engine
	Ended     uint64 // instances that returned here, including failed and canceled ones
	Stuck     uint64 // instances that got stuck here
	Taken     uint64 // runs of an instance, from a wake-up to a wait or its end
	Steps     uint64 // attempts
	Failures  uint64 // attempts that returned an error or panicked
	Retries   uint64 // attempts followed by another one
	Writes    uint64 // checkpoints
	Conflicts uint64 // writes that lost against another writer
	Aside     uint64 // signals that could not be read
	Errors    uint64 // failed calls of the store after which a run was tried again

	Running int // instances that are running now

	// Foreign is the number of instances that are due, but were saved with a layout that no
	// function of this engine knows; it was counted a few seconds ago, up to 1000. During a
	// rolling deploy they wait for workers of another version. If it stays above zero when the
	// deploy is over, no worker knows them.
	Foreign int

	StepTimes  Histogram // of attempts, in seconds
	WriteTimes Histogram // of checkpoints, in seconds
}

// Histogram counts values in buckets, like package runtime/metrics: bucket i counts the values
// from Bounds[i-1] up to, but not including, Bounds[i].
type Histogram struct {
	Bounds []float64 // of all buckets; the last bucket has no upper bound
	Counts []uint64
	Sum    float64 // of all values
}

// counters are the counts that an engine updates.
type counters struct {
	started, ended, stuck, taken   atomic.Uint64
	steps, failures, retries       atomic.Uint64
	aside                          atomic.Uint64
	writes, conflicts, storeErrors atomic.Uint64
	foreign                        atomic.Int64
	stepTimes, writeTimes          histogram.Histogram
}

// Metrics returns the counts so far. It does not block, and is safe for concurrent use.
func (e *Engine) Metrics() Metrics {
	e.mu.Lock()
	running := len(e.running)
	e.mu.Unlock()
	c := &e.counts
	return Metrics{
		Started: c.started.Load(), Ended: c.ended.Load(), Stuck: c.stuck.Load(), Taken: c.taken.Load(),
		Steps: c.steps.Load(), Failures: c.failures.Load(), Retries: c.retries.Load(),
		Writes: c.writes.Load(), Conflicts: c.conflicts.Load(), Aside: c.aside.Load(), Errors: c.storeErrors.Load(),
		Running:    running,
		Foreign:    int(c.foreign.Load()),
		StepTimes:  Histogram(c.stepTimes.Seconds(1)),
		WriteTimes: Histogram(c.writeTimes.Seconds(1)),
	}
}
