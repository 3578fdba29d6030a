package jobtest

import (
	"runtime"
	"strings"
	"time"
)

// # Goroutines left behind
//
// The number of goroutines is cheap to read, and for most programs it is the same before and
// after a schedule. But it is not exact: if a goroutine left by an earlier test is about to end,
// the number before the first schedule is too large, and hides a goroutine that is left behind.
// So the number is used only for many schedules, and the baseline is lowered when possible. The
// stacks of all goroutines are exact, but take a thousand times as long. They are compared after
// a single schedule, and after a schedule in which the number has grown.
//
// A goroutine that is started once, such as a worker of some pool, is not a leak.
// One that is started in each schedule is, so the schedule is repeated.

const (
	yieldChecks = 1000 // checks that yield, before the first that sleeps
	sleepChecks = 100  // checks that sleep for a millisecond
)

// hasGrown waits for the number of goroutines to fall to the baseline, and reports whether it
// stayed above it.
func (s *session) hasGrown() bool {
	for i := range yieldChecks + sleepChecks {
		n := runtime.NumGoroutine()
		if n <= s.goroutines {
			s.goroutines = n
			return false
		}
		if i < yieldChecks {
			runtime.Gosched()
		} else {
			time.Sleep(time.Millisecond)
		}
	}
	return true
}

// findLeak reports which goroutines, if any, the program leaves behind in every schedule; repeat
// repeats the schedule.
func (s *session) findLeak(repeat func()) *failure {
	if s.knownStacks != nil && len(goroutinesSince(s.knownStacks)) == 0 || s.knownStacks == nil && !s.hasGrown() {
		return nil
	}
	known := goroutines()
	repeat()
	left := goroutinesSince(known)
	s.goroutines = runtime.NumGoroutine()
	if len(left) == 0 {
		return nil
	}
	return &failure{leak, errGoroutines, strings.Join(left, "\n\n")}
}

// goroutinesSince returns the stacks of goroutines that are not in known and do not end soon.
func goroutinesSince(known map[string]string) (left []string) {
	for range sleepChecks {
		left = nil
		for id, stack := range goroutines() {
			if _, old := known[id]; !old && !strings.Contains(stack, "testing.tRunner(") {
				left = append(left, stack)
			}
		}
		if len(left) == 0 {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return left
}

// goroutines returns the stacks of all goroutines, by their first words: "goroutine 7".
func goroutines() map[string]string {
	all := map[string]string{}
	for stack := range strings.SplitSeq(stacks(), "\n\n") {
		id, _, _ := strings.Cut(stack, " [")
		all[id] = stack
	}
	return all
}

// stacks returns the stacks of all goroutines, up to a megabyte.
func stacks() string {
	buf := make([]byte, 1<<20)
	return string(buf[:runtime.Stack(buf, true)])
}
