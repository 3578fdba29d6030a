package durable

import (
	"math/bits"
	"sync/atomic"
	"time"
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
	stepTimes, writeTimes          durations
}

// buckets is the number of buckets of each histogram. The bounds are powers of two: the first
// is a microsecond, the last more than a minute.
const buckets = 28

// durations is a Histogram that is being filled.
type durations struct {
	counts [buckets]atomic.Uint64
	sum    atomic.Uint64 // nanoseconds
}

// add counts a duration. One below zero, by a clock that has jumped, counts as zero.
func (h *durations) add(d time.Duration) {
	d = max(d, 0)
	h.counts[min(bits.Len64(uint64(d/time.Microsecond)), buckets-1)].Add(1)
	h.sum.Add(uint64(d))
}

func (h *durations) read() Histogram {
	out := Histogram{Counts: make([]uint64, buckets), Sum: time.Duration(h.sum.Load()).Seconds()}
	for i := range h.counts {
		out.Counts[i] = h.counts[i].Load()
		if i < buckets-1 {
			out.Bounds = append(out.Bounds, (time.Duration(1<<i) * time.Microsecond).Seconds())
		}
	}
	return out
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
		Running: running, StepTimes: c.stepTimes.read(), WriteTimes: c.writeTimes.read(),
	}
}
