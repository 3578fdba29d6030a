package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"text/tabwriter"
	"time"
)

// # A soak
//
// A soak runs rounds until its time is over. In each, every scheduler gets a load of a different
// size and seed, and is shut down at a different moment. It is disturbed meanwhile: all jobs of a
// context are canceled at once, GOMAXPROCS changes, the collector runs all the time or almost
// never, memory is short, and the process is stopped and continued from outside (stops_unix.go).
// Each round ends with the same checks as a single load. A round that fails prints how to run its
// load alone.

// soak is a soak in progress.
type soak struct {
	chosen  []candidate
	dice    *rand.Rand
	maxJobs int64 // jobs of a round on one scheduler
	total   map[string]*tally
	rounds  int
	shocks  shocks
}

// tally counts the outcomes of the jobs on one scheduler.
type tally struct{ loads, submitted, completed, faulted, canceled, refused int64 }

// shocks counts disturbances.
type shocks struct{ processors, collector, memory, garbage int }

// maxRoundJobs limits the jobs of one load: many small loads begin and end more often.
const maxRoundJobs = 100_000

// run runs rounds until ctx ends, and prints the account. It returns false if any load failed.
func (s *soak) run(ctx context.Context, out io.Writer) (balanced bool) {
	s.total = map[string]*tally{}
	began := time.Now()
	balanced = true
	for balanced && ctx.Err() == nil {
		balanced = s.round(out)
		s.rounds++
	}
	s.print(out, time.Since(began))
	return balanced
}

// round puts one load on each scheduler.
func (s *soak) round(out io.Writer) bool {
	for _, v := range s.chosen {
		jobs, producers, seed := 2+s.dice.Int64N(s.maxJobs-1), 1+s.dice.IntN(32), s.dice.Uint64()
		shutdown := 1 + s.dice.Int64N(jobs)
		r := load(v, jobs, producers, seed, timeout, func(st *storm) {
			st.shutdownAfter, st.cancelsGroups, st.during = shutdown, true, s.disturb
		})
		s.add(v.name, &r.account)
		if r.err != nil {
			fmt.Fprintf(out, "%s: %v\n\tround %d: %d jobs by %d producers, shut down at %d, seed %d\n",
				v.name, r.err, s.rounds+1, jobs, producers, shutdown, seed)
			return false
		}
	}
	return true
}

func (s *soak) add(name string, a *account) {
	t := s.total[name]
	if t == nil {
		t = new(tally)
		s.total[name] = t
	}
	t.loads++
	t.submitted += a.submitted.Load()
	t.completed += a.completed.Load()
	t.faulted += a.faulted.Load()
	t.canceled += a.canceled.Load()
	t.refused += a.refused.Load()
}

func (s *soak) print(out io.Writer, took time.Duration) {
	w := tabwriter.NewWriter(out, 10, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "scheduler\tloads\tsubmitted\tcompleted\tfaulted\tcanceled\trefused\t\n")
	for _, v := range s.chosen {
		if t := s.total[v.name]; t != nil {
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", v.name, t.loads, t.submitted, t.completed, t.faulted, t.canceled, t.refused)
		}
	}
	_ = w.Flush()
	fmt.Fprintf(out, "%d rounds in %v; changes: GOMAXPROCS %d, collector %d, memory limit %d; %d times garbage\n", s.rounds,
		took.Round(time.Second), s.shocks.processors, s.shocks.collector, s.shocks.memory, s.shocks.garbage)
}

// disturb changes the process until done is closed, and then restores everything.
func (s *soak) disturb(done <-chan struct{}) {
	procs := runtime.GOMAXPROCS(0)
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	defer func() {
		runtime.GOMAXPROCS(procs)
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}()
	next := time.NewTimer(0)
	defer next.Stop()
	for {
		select {
		case <-done:
			return
		case <-next.C:
		}
		switch s.dice.IntN(4) {
		case 0:
			runtime.GOMAXPROCS(1 + s.dice.IntN(8))
			s.shocks.processors++
		case 1:
			debug.SetGCPercent([]int{5, 50, 100, 1000, -1}[s.dice.IntN(5)])
			s.shocks.collector++
		case 2:
			debug.SetMemoryLimit(int64(16+s.dice.IntN(256)) << 20)
			s.shocks.memory++
		default:
			litter(1 + s.dice.IntN(16))
			s.shocks.garbage++
		}
		next.Reset(time.Duration(1+s.dice.IntN(50)) * time.Millisecond)
	}
}

// litter makes the given number of megabytes of garbage, in small pieces.
func litter(megabytes int) {
	var pieces [][]byte
	for range megabytes << 10 {
		pieces = append(pieces, make([]byte, 1<<10))
	}
	runtime.KeepAlive(pieces)
}

// runBeside runs f concurrently with a load, and returns a function that ends f and waits for it.
func runBeside(f func(done <-chan struct{})) (end func()) {
	if f == nil {
		return func() {}
	}
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() { f(done) })
	return func() {
		close(done)
		running.Wait()
	}
}
