package durable

import (
	"sync/atomic"

	"github.com/movenext/movenext/internal/histogram"
)

// Metrics count what an engine has done since it was opened.
type Metrics struct {
	Started   uint64 // instances, by this engine
	Ended     uint64 // instances that returned here, failed and canceled ones too
	Stuck     uint64 // instances that got stuck here
	Taken     uint64 // runs of an instance, from a wake-up to a wait or its end
	Steps     uint64 // attempts
	Failures  uint64 // attempts that returned an error or panicked
	Retries   uint64 // attempts after which another one follows
	Writes    uint64 // checkpoints
	Conflicts uint64 // writes that lost against another writer
	Errors    uint64 // calls of the store that failed, after which a run was tried again

	Running int // instances, now

	StepTimes  Histogram // of attempts, in seconds
	WriteTimes Histogram // of checkpoints, in seconds
}

// Histogram counts values in buckets, in the way of package runtime/metrics: bucket i has those
// from Bounds[i-1] up to, and without, Bounds[i].
type Histogram struct {
	Bounds []float64 // of all buckets but the last, which has no upper one
	Counts []uint64
	Sum    float64 // of all values
}

// counters are Metrics that grow.
type counters struct {
	started, ended, stuck, taken   atomic.Uint64
	steps, failures, retries       atomic.Uint64
	writes, conflicts, storeErrors atomic.Uint64
	stepTimes, writeTimes          histogram.Histogram
}

// Metrics returns what the engine has done so far. It does not block, and is safe for concurrent
// use.
func (e *Engine) Metrics() Metrics {
	e.mu.Lock()
	running := len(e.running)
	e.mu.Unlock()
	c := &e.counts
	return Metrics{
		Started: c.started.Load(), Ended: c.ended.Load(), Stuck: c.stuck.Load(), Taken: c.taken.Load(),
		Steps: c.steps.Load(), Failures: c.failures.Load(), Retries: c.retries.Load(),
		Writes: c.writes.Load(), Conflicts: c.conflicts.Load(), Errors: c.storeErrors.Load(),
		Running:    running,
		StepTimes:  Histogram(c.stepTimes.Seconds(1)),
		WriteTimes: Histogram(c.writeTimes.Seconds(1)),
	}
}
