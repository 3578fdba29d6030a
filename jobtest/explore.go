package jobtest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/movenext/movenext/schedulers/simulation"
)

var replayFlag = flag.String("jobtest.replay", "",
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
	s, end := newSession(t, f, true, opts)
	defer end()
	if s.replayFromFlag() {
		return
	}
	name, c := random{}.next(s.random(0), 0, 0)
	if s.hasChoices {
		name, c = "given", fromBytes(s.choices)
	}
	if o := s.runSchedule(c); o.failed() {
		s.repeats(&o)
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
	s, end := newSession(t, f, false, opts)
	defer end()
	if s.replayFromFlag() {
		return
	}
	x := &exploration{session: s, strategies: slices.Clone(s.strategies)}
	before := t.Failed()
	for x.tried < s.schedules {
		c, ok := x.nextSchedule()
		if !ok {
			break
		}
		o := s.runSchedule(c.chooser)
		if o.failed() {
			s.report(fmt.Sprintf("seed %d, schedule %d (%s)", s.seed, x.tried, c.name), s.shrink(o), o)
			return
		}
		if t.Failed() && !before {
			t.Logf("the schedule that has failed is %s", flagOf(o.trace))
			return
		}
		if c.exhaustive != nil {
			c.exhaustive.record(o.trace)
		}
		x.tried++
	}
	s.logProgress(x.exhaustive)
}

// exploration is the rotation of the strategies in one call of Explore.
type exploration struct {
	*session
	strategies []strategy  // that have schedules left
	exhaustive *exhaustive // the last one that was asked for a schedule; nil: none
	tried      int
}

// candidate is a schedule to run.
type candidate struct {
	name       string
	chooser    chooser
	exhaustive *exhaustive // which keeps the schedule's trace; nil: another strategy
}

// nextSchedule returns a schedule of the strategy whose turn it is. It returns false if all
// schedules of the program have been tried, or no strategy has any left.
func (x *exploration) nextSchedule() (candidate, bool) {
	for len(x.strategies) > 0 {
		n := len(x.strategies)
		index := x.tried % n
		s := x.strategies[index]
		r := x.random(x.tried)
		name, c := s.next(r, x.tried/n, x.horizon)
		all, isAll := s.(*exhaustive)
		if isAll {
			x.exhaustive = all
		}
		switch {
		case c != nil && isAll:
			return candidate{name, c, all}, true
		case c != nil:
			return candidate{name, x.decorate(c, r), nil}, true
		case x.exhaustive.complete():
			return candidate{}, false
		}
		x.strategies = slices.Delete(x.strategies, index, index+1)
	}
	return candidate{}, false
}

// decorate adds what a strategy that chooses at random does not choose well by itself: whether
// time passes early, when the context ends, and how often faults happen. The exhaustive strategy
// needs none of that.
func (s *session) decorate(c chooser, r *rand.Rand) chooser {
	c = withTime(c, r)
	if s.settings.cancel {
		c = withInterrupt(c, r.IntN(max(1, s.horizon+1)))
	}
	if s.faults != nil {
		c = s.withFaults(c, r)
	}
	return c
}

// logProgress logs how much of the program has been explored.
func (s *session) logProgress(all *exhaustive) {
	s.t.Helper()
	switch {
	case all == nil:
		s.t.Logf("%d schedules without a failure", s.runs)
	case all.complete():
		s.t.Logf("complete: the program has %s, and none fails", quantity(all.tried, "schedule"))
	case all.exhausted():
		s.t.Logf("not complete, but every schedule with at most %s other than the oldest turn: %d schedules without a failure",
			quantity(all.bound, "choice"), s.runs)
	default:
		s.t.Logf("not complete: %d schedules without a failure", s.runs)
	}
}

// runSchedule runs the program in the schedule of a chooser, and checks for leftover goroutines.
func (s *session) runSchedule(c chooser) outcome { return s.checkLeaks(s.runWithChooser(c)) }

// runWithChooser runs the program in the schedule of a chooser.
func (s *session) runWithChooser(c chooser) outcome {
	return s.run(func(opts ...simulation.Option) *simulation.Scheduler { return simulation.NewWith(c, opts...) }, false)
}

// checkLeaks turns an outcome without a failure into a failure if goroutines are left behind.
func (s *session) checkLeaks(o outcome) outcome {
	if !o.failed() {
		o.failure = s.findLeak(func() { s.replay(o.trace, false) })
	}
	return o
}

// replay runs the program in a schedule that has already run. If record is set, the outcome has
// the events.
func (s *session) replay(t simulation.Trace, record bool) outcome {
	return s.run(func(opts ...simulation.Option) *simulation.Scheduler { return simulation.Replay(t, opts...) }, record)
}

// replayFromFlag follows the schedule of the flag, if it is set, and reports whether it was.
func (s *session) replayFromFlag() bool {
	s.t.Helper()
	if *replayFlag == "" {
		return false
	}
	t, err := simulation.ParseTrace(strings.ReplaceAll(strings.Trim(*replayFlag, "-"), ",", " "))
	if err != nil {
		s.t.Errorf("jobtest: the flag -jobtest.replay: %v", err)
		return true
	}
	if o := s.checkLeaks(s.replay(t, false)); o.failed() {
		s.report("replay", o, o)
		return true
	}
	s.t.Logf("the schedule does not fail: %s", flagOf(t))
	return true
}

// flagOf returns the schedule in the form of the flag. Trailing choices of the oldest turn are
// omitted: a replay makes them by default.
func flagOf(t simulation.Trace) string {
	t = trim(t)
	if len(t) == 0 {
		return "-jobtest.replay=-"
	}
	return "-jobtest.replay=" + strings.ReplaceAll(t.String(), " ", ",")
}

// trim returns a trace without the choices of the oldest turn at its end.
func trim(t simulation.Trace) simulation.Trace {
	for len(t) > 0 && t[len(t)-1].Chosen == 0 {
		t = t[:len(t)-1]
	}
	return t
}
