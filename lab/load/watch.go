package main

import (
	"fmt"
	"runtime"
	"time"
)

// watch returns the value of ended, or an error if nothing happens until the timeout.
func (st *storm) watch(ended <-chan error, timeout time.Duration) error {
	ticker := time.NewTicker(timeout)
	defer ticker.Stop()
	for last := int64(-1); ; {
		select {
		case err := <-ended:
			return err
		case <-ticker.C:
			now := st.settled.Load()
			if now == last {
				return fmt.Errorf("no job has ended for %v: %d of %d have, and there are %d goroutines",
					timeout, now, st.submitted.Load(), runtime.NumGoroutine())
			}
			last = now
		}
	}
}

// holding is the goroutines and memory that the process holds.
type holding struct {
	goroutines int
	bytes      int64
}

func holdings() holding {
	runtime.GC()
	runtime.GC() // collects objects that a pool kept for one more round
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return holding{runtime.NumGoroutine(), int64(m.HeapAlloc)}
}

// endedGoroutineBytes exceeds what Go keeps of an ended goroutine for reuse: 500 bytes, or 2 500
// for one that was locked to its thread.
const endedGoroutineBytes = 3 << 10

// checkAfter returns an error if a load that has ended leaves something behind. Goroutines that
// are ending get until the timeout to do so. Bytes are compared with the number of jobs, since the
// runtime always keeps some of its own, and with the largest number of goroutines that existed at
// one moment: on a busy machine thousands of jobs with a goroutine each begin before the first of
// them ends.
func (h holding) checkAfter(jobs, maxGoroutines int64, timeout time.Duration) error {
	now := holdings()
	for end := time.Now().Add(timeout); now.goroutines > h.goroutines && time.Now().Before(end); now = holdings() {
		time.Sleep(10 * time.Millisecond)
	}
	if now.goroutines > h.goroutines {
		return fmt.Errorf("%d goroutines are left", now.goroutines-h.goroutines)
	}
	if left, limit := now.bytes-h.bytes, 1<<20+16*jobs+endedGoroutineBytes*maxGoroutines; left > limit {
		return fmt.Errorf("%d bytes are left, of %d jobs", left, jobs)
	}
	return nil
}
