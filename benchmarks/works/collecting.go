package works

import (
	"context"
	"math"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/movenext/movenext/benchmarks/contest"
)

// collecting is L3: what a million suspended functions are to the garbage collector, beside as much of
// a heap that nobody uses.
func collecting() *contest.Work {
	const idle = "idle heap"
	return &contest.Work{
		ID:    "L3",
		Title: "collect garbage around a million suspended functions; the time is that of a whole collection",
		Op:    "collection",
		N:     1_000_000,
		Size:  func(n int) (arg, ops int) { return n, collections },
		Once:  true,
		Bases: []string{idle, goroutines},
		Contenders: append([]contest.Contender{
			{Name: idle, Note: "a list of as many objects of 320 bytes", Start: still(around(linked))},
			{Name: goroutines, Note: "asleep", Most: 2_000_000, Start: still(around(sleepingGoroutines))},
		}, contest.On(everywhere(), "", "asleep", func(ctx context.Context, _ contest.Setting) contest.Run {
			return around(func(n int) func() error { return sleepingJobs(ctx, n) })
		})...),
	}
}

const collections = 10

// around collects garbage while something is held. hold makes n of it, and returns what releases it.
func around(hold func(n int) (release func() error)) contest.Run {
	return func(m *contest.Meter, n int) error {
		began := time.Now()
		release := hold(n)
		runtime.GC() // what was only needed to make it is gone
		before := pauses()
		took := time.Duration(0)
		for range collections {
			at := time.Now()
			runtime.GC()
			took += time.Since(at)
		}
		m.Report("longest pause µs", longest(before, pauses())*1e6)
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

// object is about as big as a suspended function that was started by itself.
type object struct {
	next *object
	rest [39]uintptr
}

func linked(n int) func() error {
	var list *object
	for i := range n {
		list = &object{next: list, rest: [39]uintptr{uintptr(i)}}
	}
	return func() error {
		count := 0
		for o := list; o != nil; o = o.next {
			count++
		}
		return contest.Check(count, n)
	}
}

// pauses is how often the collector has stopped the world, by how long.
func pauses() *metrics.Float64Histogram {
	sample := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(sample)
	return sample[0].Value.Float64Histogram()
}

// longest returns the upper end of the highest bucket that has grown, in seconds; of the last one, which has no
// end, the lower.
func longest(before, after *metrics.Float64Histogram) float64 {
	for i := len(after.Counts) - 1; i >= 0; i-- {
		if after.Counts[i] > before.Counts[i] {
			if end := after.Buckets[i+1]; !math.IsInf(end, 1) {
				return end
			}
			return after.Buckets[i]
		}
	}
	return 0
}
