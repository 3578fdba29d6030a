package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

const (
	line  = 8    // numbers in a cache line
	leaf  = 8192 // numbers in the smallest part of the data: 64 KiB
	tries = 5    // of each order, in turns
)

// locality runs the same work in two orders: the newest first, as a worker takes from its own
// queue, and the oldest first, as all workers take from the global one
// ([schedulers.PreferFairness]). A work item changes a number in each cache line of its part of
// the data, and starts one for each half. The newest first, the halves follow while the part is
// in the cache; the oldest first, all parts of one size come before those of the next. With data
// that fits into the cache, the order does not matter: that row shows what the queues differ by
// themselves.
func locality(out io.Writer, processors, items int) error {
	t := table(out, "data", "work items", "newest first, each KiB", "oldest first, each KiB", "times")
	for _, size := range []int{32 << 10, 512 << 10, 8 << 20} { // numbers
		data := make([]uint64, size)
		trees := max(1, items*256/size)
		var best [2]time.Duration
		for range tries {
			for order, flags := range []schedulers.Flags{0, schedulers.PreferFairness} {
				took, err := halve(processors, data, trees, flags)
				if err != nil {
					return err
				}
				if best[order] == 0 || took < best[order] {
					best[order] = took
				}
			}
		}
		levels := 1
		for part := size; part > leaf; part /= 2 {
			levels++
		}
		kib := float64(trees) * float64(levels) * float64(size) * 8 / 1024
		each := func(took time.Duration) string { return fmt.Sprintf("%.1f ns", float64(took.Nanoseconds())/kib) }
		row(t, fmt.Sprintf("%d KiB", size*8/1024), trees*(2*size/leaf-1), each(best[0]), each(best[1]),
			fmt.Sprintf("%.2f", float64(best[1])/float64(best[0])))
	}
	return t.Flush()
}

// halve runs trees of work items over the data, one after the other, and returns the time of all.
func halve(workers int, data []uint64, trees int, flags schedulers.Flags) (time.Duration, error) {
	p := pool.New(pool.Workers(workers, workers))
	var all sync.WaitGroup
	var failed error
	var once sync.Once
	var split func(worker schedulers.Worker, part []uint64)
	split = func(worker schedulers.Worker, part []uint64) {
		all.Add(1)
		err := p.Submit(do(func(worker schedulers.Worker) {
			defer all.Done()
			for i := 0; i < len(part); i += line {
				part[i]++
			}
			if half := len(part) / 2; half >= leaf {
				split(worker, part[:half])
				split(worker, part[half:])
			}
		}), schedulers.Hint{From: worker, Flags: flags})
		if err != nil {
			once.Do(func() { failed = err })
			all.Done()
		}
	}
	began := time.Now()
	for range trees {
		split(nil, data)
		all.Wait()
	}
	took := time.Since(began)
	if err := p.Shutdown(context.Background()); err != nil {
		return 0, err
	}
	return took, failed
}
