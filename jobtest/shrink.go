package jobtest

import (
	"time"

	"github.com/movenext/movenext/schedulers/simulation"
)

// # Shrinking
//
// The size of a schedule is its number of deviations, choices other than the
// oldest turn. It is made smaller in two ways, as long as the program fails in
// the same way:
//
//  1. Deviations are dropped, first many at a time and then one by one (Zeller
//     and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002),
//     until each of those that are left is needed.
//  2. Such a schedule is small, and not always the smallest. So all schedules
//     with fewer deviations are tried, the smallest first, as far as the budget
//     allows.
//
// Dropping a deviation changes what later choices offer. So a candidate is a list
// of preferred choices, which are followed as far as possible, and the schedule that has
// actually run is the next smallest one.

const (
	shrinkRuns = 3000
	shrinkTime = 5 * time.Second
)

// shrinker is the search for a smaller schedule.
type shrinker struct {
	*session
	best     outcome
	deadline time.Time
	maxRuns  int // runs
}

// shrink returns a schedule that fails as o does, with as few deviations as it finds.
func (s *session) shrink(o outcome) outcome {
	if !s.repeats(&o) {
		return o
	}
	search := &shrinker{s, o, time.Now().Add(shrinkTime), s.runs + shrinkRuns}
	for search.dropDeviations() {
	}
	search.maxRuns = s.runs + shrinkRuns
	search.searchSmaller()
	return search.best
}

// repetitions is how often a schedule is repeated to see whether it fails again.
const repetitions = 3

// repeats reports whether the schedule of a failure fails again. If not, the failure says so: no
// fault of the program need be the reason. A program that hangs, has left goroutines behind, or
// cannot be ended is not run again: each run would leave more behind.
func (s *session) repeats(o *outcome) bool {
	if o.failure.kind == hanging || o.failure.err == errGoroutines || o.running {
		return false
	}
	for range repetitions {
		if again := s.replay(o.trace, false); again.failed() && again.failure.kind == o.failure.kind {
			return true
		}
	}
	o.unrepeated = true
	o.failure.more += "\nThe same schedule has not failed when it was repeated. So the schedule alone is not the reason:" +
		"\neither the program depends on more than its schedule (randomness, real time, goroutines of its own)," +
		"\nor something from outside came late, as it may on a busy machine. No failure is known that repeats."
	return false
}

// hasBudget reports whether the budget allows another run.
func (s *shrinker) hasBudget() bool { return s.runs < s.maxRuns && time.Now().Before(s.deadline) }

// tryCandidate runs a candidate, and keeps it if it fails in the same way and is smaller.
func (s *shrinker) tryCandidate(chosen []int) bool {
	if !s.hasBudget() {
		return false
	}
	return s.keepIfSmaller(s.runWithChooser(script(chosen)))
}

// keepIfSmaller makes o the best if it is better.
func (s *shrinker) keepIfSmaller(o outcome) bool {
	if !o.failed() || o.failure.kind != s.best.failure.kind {
		return false
	}
	size, best := deviations(o.trace), deviations(s.best.trace)
	if size > best || size == best && len(trim(o.trace)) >= len(trim(s.best.trace)) {
		return false
	}
	s.best = o
	return true
}

// deviations counts the choices other than the oldest turn.
func deviations(t simulation.Trace) int {
	n := 0
	for _, c := range t {
		if c.Chosen > 0 {
			n++
		}
	}
	return n
}

// dropDeviations drops deviations, in chunks of decreasing size, and reports whether
// any of that has led to a smaller schedule.
func (s *shrinker) dropDeviations() bool {
	smaller := false
	for size := len(s.best.trace); size > 0; size /= 2 {
		for end := len(trim(s.best.trace)); end > 0 && s.hasBudget(); end -= size {
			for _, candidate := range candidatesWithout(s.best.trace, max(0, end-size), end) {
				if s.tryCandidate(candidate) {
					smaller = true
					break
				}
			}
			end = min(end, len(trim(s.best.trace))+size)
		}
	}
	return smaller
}

// candidatesWithout returns the choices of a trace without those of a part: once replaced by
// the oldest turn, and once left out. It returns none if the part has no
// deviation.
func candidatesWithout(t simulation.Trace, from, to int) [][]int {
	if deviations(t[from:min(to, len(t))]) == 0 {
		return nil
	}
	t = trim(t)
	var replaced, leftOut []int
	for i, c := range t {
		if i >= from && i < to {
			replaced = append(replaced, 0)
			continue
		}
		replaced = append(replaced, c.Chosen)
		leftOut = append(leftOut, c.Chosen)
	}
	return [][]int{replaced, leftOut}
}

// searchSmaller tries the schedules that have fewer deviations than the best.
func (s *shrinker) searchSmaller() {
	size := deviations(s.best.trace)
	if size < 2 {
		return
	}
	all := newExhaustive(size - 1)
	for s.hasBudget() {
		_, c := all.next(nil, 0, 0)
		if c == nil {
			return
		}
		o := s.runWithChooser(c)
		if s.keepIfSmaller(o) {
			return // the first is the smallest
		}
		all.record(o.trace)
	}
}
