// Package measure runs a contender in this process and measures what one operation costs.
package measure

import (
	"fmt"
	"runtime"
	"time"

	"github.com/movenext/movenext/lab/bench/internal/usage"
	"github.com/movenext/movenext/lab/bench/suite"
)

// Plan describes how a contender is measured.
type Plan struct {
	N       int           `json:"n"`    // operations to request
	Reps    int           `json:"reps"` // number of runs; the fastest counts. Below 1: one
	AtLeast time.Duration `json:"atLeast"`
	Setting suite.Setting `json:"setting"`
}

// Sample is the result of a measurement. All figures except those of memory are an
// operation's share.
type Sample struct {
	Ops    int     `json:"ops"`    // operations of one run
	Time   float64 `json:"time"`   // ns, wall-clock time
	CPU    float64 `json:"cpu"`    // ns, of all threads
	Bytes  float64 `json:"bytes"`  // allocated on the heap
	Allocs float64 `json:"allocs"` // objects on the heap

	BaseMemory int64 `json:"baseMemory"` // peak of the process in bytes, before the first run
	PeakMemory int64 `json:"peakMemory"` // and after the last

	Values map[string]float64 `json:"values,omitempty"` // what else the contender reported
}

// Memory returns an operation's share of the memory that the runs needed, or [usage.Unknown].
func (s Sample) Memory() float64 {
	if s.PeakMemory == usage.Unknown {
		return usage.Unknown
	}
	return float64(s.PeakMemory-s.BaseMemory) / float64(s.Ops)
}

// Run measures the contender. It returns an error if one of its runs has a wrong
// result.
//
// The first run only warms up: heap and stacks grow to their working size. It also shows
// how long a run takes, so that runs which are too short for the clock are repeated
// within one measurement. Of the other runs the quickest counts, not the median:
// disturbances only ever make a run slower. The spread in a table is the one between
// processes.
func Run(w *suite.Work, c *suite.Contender, plan Plan) (Sample, error) {
	run, stop := c.Start(plan.Setting)
	defer stop()
	arg, ops := w.Shape(plan.N)
	base := usage.PeakMemory()

	batch, reps := 1, max(1, plan.Reps)
	if w.Once {
		reps = 1
	} else {
		first, err := sample(run, arg, 1)
		if err != nil {
			return Sample{}, failure(w, c, err)
		}
		batch = 1 + int(plan.AtLeast/max(1, time.Duration(first.Time)))
	}

	var best Sample
	for i := range reps {
		s, err := sample(run, arg, batch)
		if err != nil {
			return Sample{}, failure(w, c, err)
		}
		if i == 0 || s.Time < best.Time {
			best = s
		}
	}
	best.share(float64(ops) * float64(batch))
	best.Ops, best.BaseMemory, best.PeakMemory = ops, base, usage.PeakMemory()
	return best, nil
}

func failure(w *suite.Work, c *suite.Contender, err error) error {
	return fmt.Errorf("measure: %s, %s: %w", w.ID, c.Name, err)
}

// sample runs a contender several times in a row; the figures are those of all of
// them together.
func sample(run suite.Run, arg, times int) (Sample, error) {
	var m suite.Meter
	var before, after runtime.MemStats
	runtime.GC() // a run's garbage must not be charged to the next run
	runtime.ReadMemStats(&before)
	cpu, start := usage.CPU(), time.Now()
	for range times {
		if err := run(&m, arg); err != nil {
			return Sample{}, err
		}
	}
	took, used := time.Since(start)-m.Excluded(), usage.CPU()-cpu
	runtime.ReadMemStats(&after)
	return Sample{
		Time:   float64(took),
		CPU:    float64(used),
		Bytes:  float64(after.TotalAlloc - before.TotalAlloc),
		Allocs: float64(after.Mallocs - before.Mallocs),
		Values: m.Values(),
	}, nil
}

// share divides the figures by the number of operations.
func (s *Sample) share(ops float64) {
	s.Time /= ops
	s.CPU /= ops
	s.Bytes /= ops
	s.Allocs /= ops
}
