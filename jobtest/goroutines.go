package jobtest

import (
	"runtime"
	"strings"
	"time"
)

// # Goroutines left behind
//
// The number of goroutines is cheap to read, and with most programs the same
// before and after a schedule. It is not exact: a goroutine that an earlier test
// has left and that is about to end makes it too large before the first schedule,
// and hides one that is left behind. So the number is used only for many
// schedules, and the baseline falls when it can. The stacks of all goroutines are
// exact, but take a thousand times as long. They are compared after a single
// schedule, and after one in which the number has grown.
//
// A goroutine that is started once, such as a worker of some pool, is no leak.
// One that is started in each schedule is, so the schedule is repeated.

const (
	looks = 1000 // that yield, before the first that sleeps
	naps  = 100  // of a millisecond
)

// grown waits for the number of goroutines to fall to that of before, and reports
// whether it has not.
func (s *session) grown() bool {
	for i := range looks + naps {
		n := runtime.NumGoroutine()
		if n <= s.goroutines {
			s.goroutines = n
			return false
		}
		if i < looks {
			runtime.Gosched()
		} else {
			time.Sleep(time.Millisecond)
		}
	}
	return true
}

// leaves reports whether the program leaves goroutines behind in a schedule, and
// which, if again repeats the schedule.
func (s *session) leaves(again func()) *failure {
	if s.known != nil && len(comeSince(s.known)) == 0 || s.known == nil && !s.grown() {
		return nil
	}
	known := goroutines()
	again()
	left := comeSince(known)
	s.goroutines = runtime.NumGoroutine()
	if len(left) == 0 {
		return nil
	}
	return &failure{leak, errGoroutines, strings.Join(left, "\n\n")}
}

// comeSince returns the stacks of goroutines that are not known and do not end
// soon.
func comeSince(known map[string]string) (left []string) {
	for range naps {
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
