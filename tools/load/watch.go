package main

import (
	"fmt"
	"runtime"
	"time"
)

// watch returns what ended yields, or an error if nothing happens during patience.
func (st *storm) watch(ended <-chan error, patience time.Duration) error {
	look := time.NewTicker(patience)
	defer look.Stop()
	for last := int64(-1); ; {
		select {
		case err := <-ended:
			return err
		case <-look.C:
			now := st.entered.Load()
			if now == last {
				return fmt.Errorf("no job has ended for %v: %d of %d have, and there are %d goroutines",
					patience, now, st.submitted.Load(), runtime.NumGoroutine())
			}
			last = now
		}
	}
}

// holding is what the process holds: goroutines and memory.
type holding struct {
	goroutines int
	bytes      int64
}

func holdings() holding {
	runtime.GC()
	runtime.GC() // for what a pool has kept for one more round
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return holding{runtime.NumGoroutine(), int64(m.HeapAlloc)}
}

// ofAGoroutine is more than Go keeps of a goroutine that has ended, for the next one:
// 500 bytes of a goroutine, 2 500 of one that was locked to its thread.
const ofAGoroutine = 3 << 10

// leftAfter returns what is left of a load that has ended. Goroutines that are
// ending get patience to do so. Bytes are compared with the number of jobs, since
// the runtime always keeps some of its own, and with the most goroutines that
// there were at one moment: on a busy machine thousands of jobs with a goroutine
// each have begun before the first of them ends.
func (h holding) leftAfter(jobs, crowd int64, patience time.Duration) error {
	now := holdings()
	for end := time.Now().Add(patience); now.goroutines > h.goroutines && time.Now().Before(end); now = holdings() {
		time.Sleep(10 * time.Millisecond)
	}
	if now.goroutines > h.goroutines {
		return fmt.Errorf("%d goroutines are left", now.goroutines-h.goroutines)
	}
	if left, most := now.bytes-h.bytes, 1<<20+16*jobs+ofAGoroutine*crowd; left > most {
		return fmt.Errorf("%d bytes are left, of %d jobs", left, jobs)
	}
	return nil
}
