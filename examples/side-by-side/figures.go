package main

import (
	"context"
	"runtime"
	"runtime/metrics"
	"slices"
	"time"
)

// figures are what one run of a form has taken.
type figures struct {
	result int
	took   time.Duration
	memory uint64 // the most that heap and stacks had in use, beyond what was in use before
}

func (f figures) megabytes() float64 { return float64(f.memory) / 1e6 }

// measure runs a form and samples the memory.
func measure(run func(context.Context, int) (int, error), n int) (f figures, err error) {
	runtime.GC()
	before := inUse()
	done, most := make(chan struct{}), make(chan uint64)
	go watch(done, most)
	began := time.Now()
	f.result, err = run(context.Background(), n)
	f.took = time.Since(began)
	close(done)
	f.memory = max(before, <-most) - before
	return f, err
}

// watch sends the highest use of memory that it has seen until done.
func watch(done <-chan struct{}, most chan<- uint64) {
	highest := uint64(0)
	ticks := time.NewTicker(2 * time.Millisecond)
	defer ticks.Stop()
	for {
		highest = max(highest, inUse())
		select {
		case <-ticks.C:
		case <-done:
			most <- highest
			return
		}
	}
}

// inUse is the memory of live and dead objects and of stacks, in bytes.
func inUse() (sum uint64) {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples)
	for _, s := range samples {
		if s.Value.Kind() == metrics.KindUint64 {
			sum += s.Value.Uint64()
		}
	}
	return sum
}

// median is the median of times and that of memory.
func median(all []figures) (m figures) {
	m.result = all[0].result
	slices.SortFunc(all, func(a, b figures) int { return int(a.took - b.took) })
	m.took = all[len(all)/2].took
	slices.SortFunc(all, func(a, b figures) int { return int(int64(a.memory) - int64(b.memory)) })
	m.memory = all[len(all)/2].memory
	return m
}
