package workloads

import (
	"context"
	"math"
	"runtime"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/movenext/movenext/lab/bench/suite"
)

// collecting is L3: the cost of a million suspended functions for the garbage collector, compared
// with an unused heap of the same size.
func collecting() *suite.Work {
	const idle = "idle heap"
	return &suite.Work{
		ID:    "L3",
		Title: "collect garbage around a million suspended functions; the time is that of a whole collection",
		Op:    "collection",
		N:     1_000_000,
		Size:  func(n int) (arg, ops int) { return n, collections },
		Once:  true,
		Bases: []string{idle, goroutines},
		Contenders: append([]suite.Contender{
			{Name: idle, Note: "as many objects of 320 bytes, held by a slice as the jobs are", Start: still(around(makeUnused))},
			{Name: goroutines, Note: "asleep", Most: 2_000_000, Start: still(around(sleepingGoroutines))},
		}, suite.On(everywhere(), "", "asleep", func(ctx context.Context, _ suite.Setting) suite.Run {
			return around(func(n int) func() error { return sleepingJobs(ctx, n) })
		})...),
	}
}

// collections is the number of collections while something is held. Each stops the world
// twice.
const collections = 20

// around collects garbage while something is held. hold makes n objects of it, and
// returns the function that releases them.
func around(hold func(n int) (release func() error)) suite.Run {
	return func(m *suite.Meter, n int) error {
		began := time.Now()
		release := hold(n)
		runtime.GC() // collects garbage left by hold
		before := pauses()
		took := time.Duration(0)
		for range collections {
			at := time.Now()
			runtime.GC()
			took += time.Since(at)
		}
		stops := since(before, pauses())
		m.Report("pause p50 µs", stops.quantile(0.5)*1e6)
		m.Report("pause p90 µs", stops.quantile(0.9)*1e6)
		m.Report("longest pause µs", stops.quantile(1)*1e6)
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		m.Report("heap MB", float64(now.HeapInuse)/1e6)
		if err := release(); err != nil {
			return err
		}
		m.Exclude(time.Since(began) - took)
		return nil
	}
}

// object is about as big as a suspended function that was started directly.
type object struct {
	self *object
	_    [39]uintptr
}

func makeUnused(n int) func() error {
	all := make([]*object, n)
	for i := range all {
		o := new(object)
		o.self = o // gives the collector a pointer to follow
		all[i] = o
	}
	return func() error {
		for _, o := range all {
			if o.self != o {
				return suite.Check(o.self, o)
			}
		}
		return nil
	}
}

// pauses counts the pauses of the collector by their length.
func pauses() *metrics.Float64Histogram {
	sample := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(sample)
	return sample[0].Value.Float64Histogram()
}

// stops counts the stops of the world by their length.
type stops struct {
	counts []uint64
	ends   []float64 // of each count's bucket, in seconds
}

func since(before, after *metrics.Float64Histogram) stops {
	s := stops{ends: slices.Clone(after.Buckets[1:])}
	for i, n := range after.Counts {
		s.counts = append(s.counts, n-before.Counts[i])
	}
	if last := len(s.ends) - 1; math.IsInf(s.ends[last], 1) {
		s.ends[last] = after.Buckets[last] // an unbounded bucket counts as its lower bound
	}
	return s
}

// quantile returns a bound in seconds for the share q of all stops. The longest of a few
// dozen (q = 1) says more about the rest of the machine than about the heap.
func (s stops) quantile(q float64) float64 {
	total := uint64(0)
	for _, n := range s.counts {
		total += n
	}
	wanted := uint64(math.Ceil(q * float64(total)))
	for i, n := range s.counts {
		if n > 0 && n >= wanted {
			return s.ends[i]
		}
		wanted -= n
	}
	return 0
}
