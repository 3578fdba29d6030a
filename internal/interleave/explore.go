//go:build interleave

package interleave

import (
	"flag"
	"fmt"
	"strings"
)

// maxSchedules is the limit of each kind of search.
var maxSchedules = flag.Int("interleave.schedules", 20_000, "how many schedules each search for bad interleavings may try")

// Program prepares a program: it makes the variables that the goroutines share, and adds
// the goroutines with [Schedule.Go]. The goroutines run after it has returned, and check
// runs after they have ended. A Program is called for each schedule, and must do the same
// each time.
type Program func(s *Schedule) (check func() error)

// T is the part of *testing.T that an exploration needs.
type T interface {
	Helper()
	Logf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Report describes what an exploration has tried.
type Report struct {
	// Schedules is how many schedules with different effects the reduced search has run.
	// Repeated is how many more it began that turned out to repeat one of them.
	Schedules, Repeated int
	// Complete reports that these were all schedules.
	Complete bool
	// If the reduced search was not complete, all schedules with up to Preemptions
	// preemptions were run; -1: not even all schedules without any. Bounded is the number
	// of schedules run by that search.
	Preemptions, Bounded int
	// Random is how many schedules were run with random priorities.
	Random int
	// Steps is the length of the longest schedule.
	Steps int
	// Failure is the first failure with its schedule, or "".
	Failure string
}

// String returns one line about what was tried.
func (r Report) String() string {
	if r.Complete {
		return fmt.Sprintf("complete: %d schedules of different effect, up to %d steps (%d more repeated one of them)", r.Schedules, r.Steps, r.Repeated)
	}
	return fmt.Sprintf("not complete: %d schedules of different effect, up to %d steps; all of up to %d preemptions (%d schedules); %d at random (PCT)",
		r.Schedules, r.Steps, r.Preemptions, r.Bounded, r.Random)
}

// Explore runs the program in all schedules that can make a difference. If these are too
// many, it also runs as many as it can with few preemptions, and then some at random. The
// test fails with the schedule of the first failure. The report is logged.
func Explore(t T, program Program) Report {
	t.Helper()
	r := Search(program, *maxSchedules)
	if r.Failure != "" {
		t.Fatalf("%s", r.Failure)
	}
	t.Logf("%s", r)
	return r
}

// Search is [Explore] without a test. Each kind of search runs at most limit schedules.
func Search(program Program, limit int) Report {
	r := Report{Preemptions: -1}
	x := &reduction{}
	for more := true; more && r.Schedules+r.Repeated < limit; more = x.next() {
		cuts := x.cuts
		s := run(program, x, false)
		if r.recordFailure(program, s) {
			return r
		}
		r.Repeated += x.cuts - cuts
		r.Schedules += 1 - (x.cuts - cuts)
	}
	if r.Complete = len(x.nodes) == 0; r.Complete {
		return r
	}
	for bound := 0; r.Bounded < limit; bound++ {
		b := &boundedSearch{bound: bound}
		more := true
		for ; more && r.Bounded < limit; more = b.next() {
			if r.recordFailure(program, run(program, b, false)) {
				return r
			}
			r.Bounded++
		}
		if !more {
			r.Preemptions = bound
		}
	}
	for p := newPCT(1); r.Random < limit/2; p.next() {
		if r.recordFailure(program, run(program, p, false)) {
			return r
		}
		r.Random++
	}
	return r
}

// recordFailure reports whether the schedule has failed, and records the failure. It then searches
// for a failing schedule with as few preemptions as possible, which is easier to read.
func (r *Report) recordFailure(program Program, s *Schedule) bool {
	r.Steps = max(r.Steps, len(s.events))
	if s.failure == "" {
		return false
	}
	tried := 0
	for bound := 0; bound <= 3 && tried < 20_000; bound++ {
		b := &boundedSearch{bound: bound}
		for more := true; more && tried < 20_000; more = b.next() {
			tried++
			if simple := run(program, b, false); simple.failure != "" {
				r.Failure = describe(program, simple)
				return true
			}
		}
	}
	r.Failure = describe(program, s)
	return true
}

// describe repeats a failing schedule, and returns a description of its steps.
func describe(program Program, s *Schedule) string {
	var order script
	for _, e := range s.events {
		order = append(order, e.thread)
	}
	again := run(program, order, true)
	if len(again.events) == len(s.events) {
		s = again
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nthe schedule:\n", again.failure)
	if again.failure != s.failure {
		fmt.Fprintf(&b, "(before: %s)\n", s.failure)
	}
	for _, e := range s.events {
		effect := ""
		if e.kind == cas && !e.wrote {
			effect = " fails"
		}
		fmt.Fprintf(&b, "  %-12s %s%s\n", s.threads[e.thread].name, e.step, effect)
	}
	return b.String()
}
