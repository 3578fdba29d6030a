package jobtest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/movenext/movenext/schedulers/simulation"
)

var replay = flag.String("jobtest.replay", "",
	"the schedule that jobtest.Run and jobtest.Explore follow, as a failed test has printed it; use it with -run")

var errGoroutines = errors.New("jobtest: goroutines are left behind")

// Run calls f once in a simulation, in which time is virtual and one schedule is followed: a
// random one of [Seed], or that of [Choices]. It fails the test if f returns an error, if any job
// panics, if everything that remains waits forever, if jobs, machines or goroutines are left
// behind, or if a step hangs.
//
// The simulation is also the default scheduler of the code that it runs, so async functions
// without a context are simulated too. Other goroutines keep the usual default, including those
// that f starts.
//
// f gets a context that ends after f has returned: when nothing else can happen, or 1000 steps
// later, for work that never ends by itself. Work that still waits after that counts as left
// behind.
//
// Run blocks until everything has ended. Other tests of the process must not start goroutines
// during that time, since those would count as left behind. t may be a benchmark or a fuzz
// target.
func Run(t testing.TB, f func(ctx context.Context) error, opts ...Option) {
	t.Helper()
	s, end := begin(t, f, true, opts)
	defer end()
	if s.replays() {
		return
	}
	name, c := random{}.next(s.random(0), 0, 0)
	if s.chosen {
		name, c = "given", fromBytes(s.choices)
	}
	if o := s.try(c); o.failed() {
		s.report(fmt.Sprintf("seed %d (%s)", s.seed, name), o, o)
	}
}

// Explore calls f in many schedules, until one fails or the number of [Schedules]
// is reached. A schedule fails as described at [Run], and if an [Invariant] is
// broken. Without options that say otherwise, the strategies rotate:
// [Exhaustive], [PCT], [Random], [POS].
//
// A schedule that fails is shrunk: Explore searches for one that fails in the same way with fewer
// deviations from the oldest turn. The test then fails with the
// steps of that schedule, and with a flag that repeats it:
//
//	go test -run TestShop -jobtest.replay=2/3,0/2,1/2
//
// f is called once for each schedule, and must behave the same in each: it must create its state
// anew, and depend on nothing but the schedule. It should return an error instead of failing t: a
// failed t ends the search, and is not shrunk.
//
// Explore blocks until it is done; [Run] describes the restriction on other tests.
func Explore(t testing.TB, f func(ctx context.Context) error, opts ...Option) {
	t.Helper()
	s, end := begin(t, f, false, opts)
	defer end()
	if s.replays() {
		return
	}
	var all *exhaustive
	left, before := s.strategies, t.Failed()
	for i := 0; i < s.schedules && len(left) > 0; i++ {
		pick := i % len(left)
		r := s.random(i)
		name, c := left[pick].next(r, i/len(left), s.horizon)
		e, isAll := left[pick].(*exhaustive)
		if isAll {
			all = e
		}
		if c == nil {
			if all.complete() {
				break
			}
			left = append(append([]strategy(nil), left[:pick]...), left[pick+1:]...)
			i--
			continue
		}
		if s.settings.cancel && !isAll {
			c = interrupting(c, r.IntN(max(1, s.horizon+1)))
		}
		if s.faults != nil && !isAll {
			c = s.faulty(c, r)
		}
		o := s.try(c)
		if o.failed() {
			s.report(fmt.Sprintf("seed %d, schedule %d (%s)", s.seed, i, name), s.shrink(o), o)
			return
		}
		if t.Failed() && !before {
			t.Logf("the schedule that has failed is %s", flagOf(o.trace))
			return
		}
		if isAll {
			e.ran(o.trace)
		}
	}
	s.account(all)
}

// account logs how much of the program has been explored.
func (s *session) account(all *exhaustive) {
	s.t.Helper()
	switch {
	case all == nil:
		s.t.Logf("%d schedules without a failure", s.runs)
	case all.complete():
		s.t.Logf("complete: the program has %s, and none fails", counted(all.tried, "schedule"))
	case all.exhausted():
		s.t.Logf("not complete, but every schedule with at most %s other than the oldest turn: %d schedules without a failure",
			counted(all.bound, "choice"), s.runs)
	default:
		s.t.Logf("not complete: %d schedules without a failure", s.runs)
	}
}

// try runs the program in the schedule of a chooser, and checks for leftover goroutines.
func (s *session) try(c chooser) outcome { return s.accounted(s.follow(c)) }

// follow runs the program in the schedule of a chooser.
func (s *session) follow(c chooser) outcome {
	return s.run(func(opts ...simulation.Option) *simulation.Scheduler { return simulation.NewWith(c, opts...) }, false)
}

// accounted turns an outcome without a failure into a failure if goroutines are left behind.
func (s *session) accounted(o outcome) outcome {
	if !o.failed() {
		o.failure = s.leaves(func() { s.again(o.trace, false) })
	}
	return o
}

// again repeats a schedule.
func (s *session) again(t simulation.Trace, record bool) outcome {
	return s.run(func(opts ...simulation.Option) *simulation.Scheduler { return simulation.Replay(t, opts...) }, record)
}

// replays follows the schedule of the flag, if it is set, and reports whether it was.
func (s *session) replays() bool {
	s.t.Helper()
	if *replay == "" {
		return false
	}
	t, err := simulation.ParseTrace(strings.ReplaceAll(strings.Trim(*replay, "-"), ",", " "))
	if err != nil {
		s.t.Errorf("jobtest: the flag -jobtest.replay: %v", err)
		return true
	}
	if o := s.accounted(s.again(t, false)); o.failed() {
		s.report("replay", o, o)
		return true
	}
	s.t.Logf("the schedule does not fail: %s", flagOf(t))
	return true
}

// flagOf returns the schedule in the form of the flag. Trailing choices of the oldest turn are
// omitted: a replay makes them by default.
func flagOf(t simulation.Trace) string {
	t = trimmed(t)
	if len(t) == 0 {
		return "-jobtest.replay=-"
	}
	return "-jobtest.replay=" + strings.ReplaceAll(t.String(), " ", ",")
}

// trimmed returns a trace without the choices of the oldest turn at its end.
func trimmed(t simulation.Trace) simulation.Trace {
	for len(t) > 0 && t[len(t)-1].Chosen == 0 {
		t = t[:len(t)-1]
	}
	return t
}
